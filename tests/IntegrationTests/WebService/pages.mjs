// Looks at the pages of the web service in a real browser, at two widths, light and dark, and works with them as a person does.
//
//   node pages.mjs SERVICE PICTURES [MODULES]
//
// SERVICE is the built Workflow.WebService.dll, which is started on a free port; PICTURES is a folder for a picture of every page;
// MODULES is where npm has installed axe-core, without which nothing looks for what a person cannot read or reach.
// Exit code 1 when a page has an error, asks anybody but the service, is wider than its window, or does not do what it says.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startService } from './service.mjs'

const [service, pictures, modules] = process.argv.slice(2).map(path => resolve(path))
if (!pictures) {
  console.error('Usage: node pages.mjs SERVICE PICTURES [MODULES]')
  process.exit(2)
}

const key = 'pages-4711-0123456789abcdef'
const deadlineMs = 20_000
const problems = []
const problem = text => problems.push(text)
const axe = modules ? readFileSync(join(modules, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8') : null

// Chromium over the pipe of its DevTools protocol: messages end with a zero byte.
class Browser {
  #next = 1
  #waiting = new Map()
  #listeners = []

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'pages-'))
    this.process = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--remote-debugging-pipe',
      '--disable-background-networking', '--no-first-run', `--user-data-dir=${this.folder}`], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
    let rest = ''
    this.process.stdio[4].setEncoding('utf8').on('data', data => {
      const messages = (rest + data).split('\0')
      rest = messages.pop()
      messages.forEach(message => this.#take(JSON.parse(message)))
    })
  }

  #take(message) {
    if (message.id) {
      const { done, failed } = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if (message.error) failed(new Error(message.error.message))
      else done(message.result)
    } else {
      this.#listeners.forEach(listen => listen(message))
    }
  }

  on(listen) { this.#listeners.push(listen) }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0')
    return new Promise((done, failed) => this.#waiting.set(id, { done, failed }))
  }

  async close() {
    const ended = new Promise(done => this.process.once('exit', done))
    await this.send('Browser.close')
    await ended
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

// One tab: what it asks for, what it complains of, and what is on it.
class Tab {
  static async open(browser, origin) {
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true })
    const tab = new Tab()
    Object.assign(tab, { browser, sessionId, origin, loads: 0, where: '' })
    browser.on(message => message.sessionId === sessionId && tab.#hear(message.method, message.params))
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await tab.send(`${domain}.enable`)
    return tab
  }

  send(method, params) { return this.browser.send(method, params, this.sessionId) }

  #hear(method, params) {
    if (method === 'Page.loadEventFired') this.loads += 1
    else if (method === 'Runtime.exceptionThrown') problem(`${this.where}: ${params.exceptionDetails.text} ${params.exceptionDetails.exception?.description}`)
    else if (method === 'Runtime.consoleAPICalled' && params.type !== 'debug') problem(`${this.where}: the console says ${JSON.stringify(params.args)}`)
    else if (method === 'Log.entryAdded' && params.entry.level !== 'verbose' && !this.expected?.test(params.entry.text)) problem(`${this.where}: ${params.entry.text}`)
    else if (method === 'Network.requestWillBeSent' && !params.request.url.startsWith(this.origin + '/')) problem(`${this.where} asks ${params.request.url}`)
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`)
    return result.value
  }

  // Whatever is done here leads to another page.
  async leading(act) {
    const before = this.loads
    await act()
    await eventually(() => this.loads > before, `a page after ${act}`)
    this.where = await this.evaluate('location.pathname + location.search')
  }

  go(path) { return this.leading(() => this.send('Page.navigate', { url: this.origin + path })) }

  async point(selector) {
    const [x, y] = await this.evaluate(`(() => { const found = document.querySelector(${JSON.stringify(selector)}); found.scrollIntoView({ block: 'center' });
      const box = found.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2] })()`)
    for (const type of ['mousePressed', 'mouseReleased']) await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 })
  }

  click(selector) { return this.leading(() => this.point(selector)) }

  async write(selector, text) {
    await this.point(selector)
    await this.send('Input.insertText', { text })
  }

  text() { return this.evaluate('document.body.innerText') }
}

const pause = ms => new Promise(done => setTimeout(done, ms))

async function eventually(holds, what) {
  const until = Date.now() + deadlineMs
  while (!await holds()) {
    if (Date.now() > until) throw new Error(`Waited ${deadlineMs / 1000} s in vain for ${what}`)
    await pause(10)
  }
}

function expect(holds, what) {
  if (!holds) problem(what)
}

// What a service has after a while, with names and values that would be markup if nobody minded.
async function seed(origin) {
  const post = async (path, body) => {
    const answer = await fetch(origin + path, { method: 'POST', headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const hostile = '<script>alert("x")</script><img src=x onerror=alert(1)>'
  await post('/definitions', JSON.parse(readFileSync(new URL('../../../fixtures/definitions/order.json', import.meta.url), 'utf8')))
  for (const version of [1, 2]) {
    await post('/definitions', { name: 'greeting', version, start: 'wait', title: `Greeting ${hostile}`,
      documentation: 'Says hello to whoever answers.\nIt waits for an hour at most, and then says nothing.', steps: {
        wait: { type: 'waitSignal', signal: 'answer', correlation: '= requestId', result: 'answer', timeout: 'PT1H', onTimeout: 'late', title: 'Wait for an answer',
          documentation: 'Whoever answers sends the signal.', next: 'done' },
        late: { type: 'fail', error: `nobody answered ${hostile}` },
        done: { type: 'end', output: { text: `= "Hello ${version}"` } } } })
  }
  await post('/definitions', { name: 'review', version: 1, start: 'check', steps: {
    check: { type: 'task', groups: ['underwriters', 'clerks'], timeout: 'P1D', onTimeout: 'late', result: 'decision', next: 'ask' },
    ask: { type: 'call', definition: 'greeting', input: { requestId: '= id' }, next: 'done' },
    late: { type: 'fail', error: 'not confirmed' }, done: { type: 'end' } } })
  await post('/definitions', { name: 'broken', version: 1, start: 'wait', steps: {
    wait: { type: 'waitSignal', signal: 'answer', correlation: '= customer.id', next: 'done' }, done: { type: 'end' } } })
  const start = (definition, input, correlationKey) => post('/instances', { definition, input, correlationKey })
  const waiting = await start('greeting', { requestId: 'r-1', customer: { name: hostile, tags: ['a', 'b'], long: 'x'.repeat(600) }, empty: null }, `r-1 ${hostile}`)
  await start('greeting', { requestId: 'r-2' }, 'r-2')
  await post('/signals', { name: 'answer', correlationKey: 'r-2', payload: { name: 'Ada' } })
  const reviewed = await start('review', { id: 'q-1' })
  const failed = await start('broken', { note: hostile }, 'k-1')
  await start('order', { price: 20, quantity: 9, requestId: 'o-1', agent: 'ann' })
  for (let i = 0; i < 60; i++) await start('order', { price: 20, quantity: 9, requestId: `o-${i}`, agent: 'ann' })
  return { waiting: waiting.id, reviewed: reviewed.id, failed: failed.id, start }
}

async function look(tab, name, path, width, scheme) {
  await tab.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] })
  await tab.send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: false })
  await tab.go(path)
  const about = `${path} at ${width} px, ${scheme}`
  const wide = await tab.evaluate('[document.documentElement.scrollWidth, window.innerWidth]')
  expect(wide[0] <= wide[1], `${about} is ${wide[0]} px wide`)
  expect(await tab.evaluate('[...document.images].every(image => image.complete && image.naturalWidth > 0)'), `${about}: a picture does not show`)
  // What is there is the same at both widths, and the colours are not the same in both schemes.
  if (axe && (width === 1280) === (scheme === 'light')) {
    await tab.evaluate(axe)
    for (const { id, nodes } of await tab.evaluate('axe.run().then(found => found.violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(node => node.html) })))')) {
      problem(`${about}: axe-core finds ${id} in ${nodes.slice(0, 3).join(' ')}`)
    }
  }
  const { data } = await tab.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true })
  writeFileSync(join(pictures, `${name}-${width}-${scheme}.png`), Buffer.from(data, 'base64'))
}

async function signIn(tab) {
  tab.expected = /401/ // The page that asks for the key is not what was asked for.
  await tab.go('/ui/instances?state=failed')
  expect((await tab.text()).includes('API key'), 'Without a key the page does not ask for one')
  const dark = await tab.evaluate('getComputedStyle(document.body).backgroundColor')
  expect(dark !== 'rgba(0, 0, 0, 0)', 'The page that asks for the key has no style')
  await tab.write('#key', key)
  await tab.click('main button')
  tab.expected = null
  expect(tab.where === '/ui/instances?state=failed', `Signing in leads to ${tab.where}`)
  expect(!(await tab.evaluate('document.cookie')).length, 'A script can read the cookie of the session')
}

async function work(tab, { waiting, reviewed, failed, start }) {
  await tab.go(`/ui/instances/${reviewed}`)
  await tab.click('td a[href^="/ui/tasks/"]')
  await tab.write('#assignee', 'ann')
  await tab.click('form[action$="/assign"] button')
  expect((await tab.text()).includes('It is assigned.'), 'The task is not assigned')
  await tab.write('#output', '{ "ok": true }')
  await tab.click('form[action$="/complete"] button')
  expect((await tab.text()).includes('It is completed'), 'The task is not completed')
  await tab.go(`/ui/instances/${reviewed}`)
  expect(/taskCompleted/.test(await tab.text()), 'The history does not have the task')

  await tab.go(`/ui/instances/${failed}`)
  await tab.write('#variables', '{ "customer": { "id": "c-1" } }')
  await tab.click('form[action$="/retry"] button')
  expect(/retried/.test(await tab.text()), 'The history does not have the retry')

  await tab.go(`/ui/instances/${waiting}`)
  await tab.click('form[action$="/suspend"] button')
  await tab.click('form[action$="/resume"] button')
  await tab.point('details summary')
  await tab.click('form[action$="/signal"] button')
  expect(/signalled/.test(await tab.text()), 'The history does not have the signal')

  await tab.go('/ui/events?definition=greeting')
  await eventually(() => tab.evaluate('document.getElementById("live").textContent.includes("appear")'), 'the stream of events')
  const rows = await tab.evaluate('document.querySelectorAll("tbody tr").length')
  await start('order', { price: 2, quantity: 1, requestId: 'unseen', agent: 'ann' })
  const { id } = await start('greeting', { requestId: 'r-3' })
  await fetch(`${tab.origin}/instances/${id}/cancel`, { method: 'POST', headers: { 'X-Api-Key': key } })
  await eventually(() => tab.evaluate(`document.querySelectorAll("tbody tr").length > ${rows}`), 'an event on the page')
  expect((await tab.evaluate('document.querySelector("tbody tr").innerText')).includes(id), 'The newest event is not the first')

  await tab.click('.session button')
  tab.expected = /401/
  await tab.go('/ui/instances')
  expect((await tab.text()).includes('API key'), 'Signing out does not end the session')
}

mkdirSync(pictures, { recursive: true })
const { origin, stop } = await startService(service, key)
const browser = new Browser()
try {
  const seeded = await seed(origin)
  const tab = await Tab.open(browser, origin)
  await signIn(tab)
  const task = (await (await fetch(`${origin}/tasks?group=clerks`, { headers: { 'X-Api-Key': key } })).json()).items[0].id
  const pages = { overview: '/ui', definitions: '/ui/definitions', definition: '/ui/definition?name=order', documented: '/ui/definition?name=greeting',
    instances: '/ui/instances', waiting: `/ui/instances/${seeded.waiting}`, failed: `/ui/instances/${seeded.failed}`, tasks: '/ui/tasks', task: `/ui/tasks/${task}`,
    'dead-letters': '/ui/dead-letters', events: '/ui/events', load: '/ui/load', 'sign-in': '/ui/sign-in' }
  for (const [name, path] of Object.entries(pages)) {
    for (const width of [1280, 400]) {
      for (const scheme of ['light', 'dark']) await look(tab, name, path, width, scheme)
    }
  }
  await tab.send('Emulation.setDeviceMetricsOverride', { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false })
  await work(tab, seeded)
  console.log(`${Object.keys(pages).length} pages in ${pictures}${axe ? '' : '; not examined by axe-core'}`)
} catch (error) {
  problem(error.stack)
} finally {
  await browser.close()
  await stop()
}
problems.forEach(text => console.error(`PROBLEM: ${text}`))
process.exit(problems.length ? 1 : 0)
