// Generates a client of the API from its own description, compiles a program that uses it, strictly, and runs it against the service.
//
//   node client.mjs SERVICE MODULES
//
// SERVICE is the built Workflow.WebService.dll; MODULES is where npm has installed openapi-typescript, openapi-fetch and typescript.
// Exit code 1 when the description gives no client, the program does not compile, or the service does not answer as described.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startService } from './service.mjs'

const [service, modules] = process.argv.slice(2).map(path => resolve(path))
if (!modules) {
  console.error('Usage: node client.mjs SERVICE MODULES')
  process.exit(2)
}

const key = 'client-4711-0123456789abcdef'
const folder = join(modules, 'client')
const run = (program, ...options) =>
  execFileSync(process.execPath, [join(modules, 'node_modules', program), ...options], { cwd: folder, stdio: 'inherit', timeout: 300_000 })

const { origin, stop } = await startService(service, key)
try {
  const answer = await fetch(`${origin}/openapi/v1.json`, { headers: { 'X-Api-Key': key } })
  if (!answer.ok) throw new Error(`GET /openapi/v1.json: ${answer.status}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'api.json'), await answer.text())
  run('openapi-typescript/bin/cli.js', 'api.json', '--output', 'api.d.ts')
  copyFileSync(new URL('client.ts', import.meta.url), join(folder, 'client.ts'))
  run('typescript/bin/tsc', '--strict', '--noUncheckedIndexedAccess', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom', 'client.ts')
  execFileSync(process.execPath, ['client.js', origin, key], { cwd: folder, stdio: 'inherit', timeout: 300_000 })
} finally {
  await stop()
}
