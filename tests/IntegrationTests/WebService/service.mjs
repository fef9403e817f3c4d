// The web service as a separate process, for tests from outside .NET.
import { spawn } from 'node:child_process'

// On a free port, with the memory store and one full key. SERVICE is the built Workflow.WebService.dll.
export async function startService(service, key) {
  const child = spawn('dotnet', [service, '--urls', 'http://127.0.0.1:0', '--Hosting:StopWhenInputEnds', 'true'],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, Access__Keys__0: key } })
  const origin = await new Promise((done, failed) => {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      said += text
      const address = /Now listening on: (\S+)/.exec(said)
      if (address) done(address[1])
    })
    child.once('exit', code => failed(new Error(`The service ended with exit code ${code}: ${said}`)))
  })
  const stop = async () => {
    child.removeAllListeners('exit')
    const ended = new Promise(done => child.once('exit', done))
    child.stdin.end()
    await ended
  }
  return { origin, stop }
}
