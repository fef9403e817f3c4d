// Looks at reports as a reader's browser does: headless Chromium, at 1280 and 400 px, in the light and the dark theme.
//
//   node pages.mjs MODULES PICTURES page.html...
//
// MODULES is where npm has installed axe-core; PICTURES gets a picture of each page, width and theme. A page must request nothing, write
// nothing to the console, need no script, have no violation for axe-core, and not be wider than its window. Exit code 1 where one does not.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const mostPixels = 12000
const [modules, pictures, ...pages] = process.argv.slice(2).map(path => resolve(path))
if (pages.length === 0) {
  console.error('Usage: node pages.mjs MODULES PICTURES page.html...')
  process.exit(2)
}

const program = ['chromium', 'chromium-browser', 'google-chrome'].find(name => {
  try {
    return execFileSync(name, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return false
  }
})
if (!program) {
  console.error('No Chromium is installed.')
  process.exit(1)
}

const axe = readFileSync(join(modules, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8')
const problems = []
const profile = mkdtempSync(join(tmpdir(), 'pages-'))
mkdirSync(pictures, { recursive: true })
const browser = spawn(program, ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--remote-debugging-pipe', `--user-data-dir=${profile}`],
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
const left = new Promise(done => browser.once('exit', done))

// The DevTools protocol over pipes: messages end with a zero byte.
const waiting = new Map()
const listeners = new Map()
let received = ''
let number = 0
browser.stdio[4].setEncoding('utf8').on('data', chunk => {
  const messages = (received + chunk).split('\0')
  received = messages.pop()
  for (const message of messages.map(text => JSON.parse(text))) {
    if (!message.id) listeners.get(message.sessionId)?.(message)
    else if (message.error) waiting.get(message.id).failed(new Error(`${waiting.get(message.id).method}: ${message.error.message}`))
    else waiting.get(message.id).done(message.result)
  }
})
const send = (method, params = {}, sessionId) => new Promise((done, failed) => {
  waiting.set(++number, { done, failed, method })
  browser.stdio[3].write(JSON.stringify({ id: number, method, params, sessionId }) + '\0')
})
left.then(() => waiting.forEach(call => call.failed(new Error('Chromium has ended.'))))

async function look(page, width, theme) {
  const name = `${basename(dirname(page))}-${basename(page, '.html')}-${width}-${theme}`
  const url = pathToFileURL(page).href
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true })
  const call = (method, params) => send(method, params, sessionId)
  const evaluate = async expression => {
    const { result, exceptionDetails } = await call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    if (exceptionDetails) throw new Error(`${name}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`)
    return result.value
  }
  const loaded = new Promise(done => {
    listeners.set(sessionId, ({ method, params }) => {
      if (method === 'Network.requestWillBeSent' && params.request.url !== url) problems.push(`${name} requests ${params.request.url}`)
      if (method === 'Runtime.exceptionThrown') problems.push(`${name} throws ${params.exceptionDetails.text}`)
      if (method === 'Runtime.consoleAPICalled') problems.push(`${name} writes to the console: ${JSON.stringify(params.args.map(arg => arg.value))}`)
      if (method === 'Log.entryAdded') problems.push(`${name} logs ${params.entry.level}: ${params.entry.text}`)
      if (method === 'Page.loadEventFired') done()
    })
  })
  for (const domain of ['Network', 'Runtime', 'Log', 'Page']) await call(domain + '.enable')
  await call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }] })
  await call('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 })
  const begun = Date.now()
  await call('Page.navigate', { url })
  await loaded
  const { scripts, wide } = await evaluate(`({ scripts: document.scripts.length, wide: document.documentElement.scrollWidth })`)
  const opened = Date.now() - begun
  if (scripts) problems.push(`${name} has ${scripts} scripts`)
  if (wide > width) problems.push(`${name} is ${wide} px wide`)
  const height = await evaluate(`Math.ceil(document.documentElement.getBoundingClientRect().height)`)
  const clip = { x: 0, y: 0, width, height: Math.min(height, mostPixels), scale: 1 }
  const { data } = await call('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, clip })
  writeFileSync(join(pictures, name + '.png'), Buffer.from(data, 'base64'))

  // What is folded away is part of the page too; of scenarios, which are alike, the first and the last. Over one width: no rule depends on it,
  // and only the contrast depends on the theme.
  if (width >= 600) {
    const rules = theme === 'light' ? '' : `, runOnly: ['color-contrast']`
    const violations = await evaluate(`(async () => { const folded = [...document.querySelectorAll('details:not(.scenario > details)')]
      const scenarios = folded.filter(one => one.matches('.scenario'))
      folded.forEach(one => one.open = !scenarios.includes(one) || one === scenarios[0] || one === scenarios.at(-1))
      document.querySelectorAll('.scenario[open] details').forEach(one => one.open = true); ${axe}
      const found = await axe.run(document, { resultTypes: ['violations']${rules} })
      return found.violations.map(rule => rule.id + ' (' + rule.impact + '): ' + rule.help + ', ' + rule.nodes.length + ' times, first '
        + rule.nodes[0].html.slice(0, 160) + ' ' + (rule.nodes[0].any[0]?.message ?? '')) })()`)
    problems.push(...violations.map(violation => `${name} ${violation}`))
  }
  listeners.delete(sessionId)
  await send('Target.closeTarget', { targetId })
  console.log(`${name}: ${opened} ms to open, ${height} px high, ${Date.now() - begun} ms in all`)
}

try {
  for (const page of pages) {
    for (const width of [1280, 400]) await Promise.all(['light', 'dark'].map(theme => look(page, width, theme)))
  }
} finally {
  browser.kill()
  await left
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
}

problems.forEach(problem => console.error(problem))
process.exit(problems.length ? 1 : 0)
