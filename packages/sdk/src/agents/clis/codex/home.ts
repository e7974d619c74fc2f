import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

type HostEnv = Readonly<Record<string, string | undefined>>;

/** Where Codex keeps its settings, credentials and sessions. */
export function codexHome(hostEnv: HostEnv): string {
  const { CODEX_HOME: named, HOME: home } = hostEnv;
  return named === undefined || named === '' ? path.join(home === undefined || home === '' ? os.homedir() : home, '.codex') : named;
}

/** What is read of `config.toml` without a parser of that language: enough to decide what follows, and harmless where it is wrong. */
export interface CodexConfig {
  /** The provider that is used when it is not OpenAI itself. */
  readonly provider?: string;
  /** The MCP servers that are declared in tables of their own. */
  readonly mcpServers: readonly string[];
}

export async function codexConfig(hostEnv: HostEnv): Promise<CodexConfig> {
  const text = await readFile(path.join(codexHome(hostEnv), 'config.toml'), 'utf8').catch(() => '');
  return configOf(text);
}

/** Pure. */
export function configOf(text: string): CodexConfig {
  const [root = ''] = text.split(/^\s*\[/m, 1);
  const provider = /^\s*model_provider\s*=\s*["']([^"']+)["']/m.exec(root)?.[1];
  const servers = [...text.matchAll(/^\s*\[\s*mcp_servers\s*\.\s*["']?([A-Za-z0-9_-]+)["']?\s*[.\]]/gm)].map(([, name = '']) => name);
  return { ...(provider === undefined || provider === 'openai' ? {} : { provider }), mcpServers: [...new Set(servers)] };
}
