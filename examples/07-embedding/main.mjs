/** `node main.mjs [port]` starts the service on this machine, port 8787 by default; it runs its steps in the current directory. */
import { release } from './release.mjs';
import { createService } from './service.mjs';

const [port = '8787'] = process.argv.slice(2);
const service = await createService({ dataDir: '.relayflowd', cwd: process.cwd(), flows: { release: { version: '1', flow: release } } });

service.server.listen(Number(port), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${service.server.address().port}`);
});

process.once('SIGINT', () => service.close());
process.once('SIGTERM', () => service.close());
