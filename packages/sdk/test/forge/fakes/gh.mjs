#!/usr/bin/env node
// Does what gh 2.x does for the calls that are made of it, over a local server. It gives no token away, as where it signs requests by other means.
// FAKE_GH_STATUS=timeout: it cannot try its credentials out.
// FAKE_GH_SERVER: where requests go; FAKE_GH_TOKEN: what it is signed in with, nothing when it is not; FAKE_GH_GIVES=1: `gh auth token` prints it.
import { readFileSync } from 'node:fs';

const { FAKE_GH_SERVER: server = '', FAKE_GH_TOKEN: token = '', FAKE_GH_GIVES: gives, FAKE_GH_STATUS: status } = process.env;
const args = process.argv.slice(2);

function end(code, stderr = '') {
  if (stderr !== '') process.stderr.write(`${stderr}\n`);
  process.exit(code);
}

function flags(rest, known) {
  const found = { header: [] };
  const positional = [];
  for (let at = 0; at < rest.length; at += 1) {
    const name = rest[at].replace(/^--/, '');
    if (!rest[at].startsWith('--')) positional.push(rest[at]);
    else if (!(name in known)) end(1, `unknown flag: --${name}\n\nUsage:  gh api <endpoint> [flags]`);
    else if (known[name] === 'switch') found[name] = true;
    else if (name === 'header') found.header.push(rest[(at += 1)]);
    else found[name] = rest[(at += 1)];
  }
  return { ...found, positional };
}

if (args[0] === 'auth' && args[1] === 'token') {
  const { hostname } = flags(args.slice(2), { hostname: 'value' });
  if (token === '' || gives !== '1') end(1, `no oauth token found for ${hostname}`);
  process.stdout.write(`${token}\n`);
} else if (args[0] === 'auth' && args[1] === 'status') {
  const { hostname } = flags(args.slice(2), { hostname: 'value' });
  if (token === '') end(1, `You are not logged into any accounts on ${hostname}`);
  if (status === 'timeout') end(1, `${hostname}\n  X Timeout trying to log in to ${hostname} account octocat (keyring)\n  - Active account: true`);
  process.stdout.write(`${hostname}\n  ✓ Logged in to ${hostname} account octocat (keyring)\n`);
} else if (args[0] === 'api') {
  const { positional: [endpoint], method = 'GET', include, input, header, hostname } = flags(args.slice(1), { hostname: 'value', method: 'value', include: 'switch', input: 'value', header: 'value' });
  if (token === '') end(4, 'To get started with GitHub CLI, please run:  gh auth login\nAlternatively, populate the GH_TOKEN environment variable with a GitHub API authentication token.');
  const url = endpoint === 'graphql' ? `${server}/api/graphql` : `${server}/api/v3/${endpoint.replace(/^\//, '')}`;
  const body = input === '-' ? readFileSync(0, 'utf8') : undefined;
  const headers = { 'authorization': `token ${token}`, 'user-agent': 'GitHub CLI 2.80.0', ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }) };
  for (const one of header) headers[one.split(': ')[0].toLowerCase()] = one.split(': ')[1];
  let response;
  try {
    response = await fetch(url, { method, headers, body });
  } catch (error) {
    if (error.cause?.code === 'ECONNREFUSED') end(1, `error connecting to ${hostname}\ncheck your internet connection or https://githubstatus.com`);
    end(1, `${method === 'POST' ? 'Post' : 'Get'} "${url}": EOF`);
  }
  const text = await response.text();
  const lines = [...response.headers].map(([name, value]) => `${name.replace(/(^|-)\w/g, (letter) => letter.toUpperCase())}: ${value}\r\n`);
  if (include) process.stdout.write(`HTTP/2.0 ${response.status} ${response.statusText}\n${lines.join('')}\r\n`);
  process.stdout.write(text);
  const said = text.startsWith('{') ? JSON.parse(text) : {};
  if (response.status > 299) {
    const details = (said.errors ?? []).map((one) => `\n${one.message ?? one}`).join('');
    process.stderr.write(`gh: ${said.message ?? response.statusText} (HTTP ${response.status})${details}\n`);
    process.exitCode = 1;
  } else if (endpoint === 'graphql' && said.errors !== undefined) {
    process.stderr.write(`gh: ${said.errors.map((one) => one.message).join('\n')}\n`);
    process.exitCode = 1;
  }
} else {
  end(1, `unknown command "${args[0]}" for "gh"`);
}
