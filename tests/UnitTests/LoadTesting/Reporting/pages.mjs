// Looks at reports as a reader's browser does: headless Chromium, at 1280 and 400 px, in the light and the dark theme.
//
//   node pages.mjs MODULES PICTURES page.html...
//
// MODULES is where npm has installed axe-core; PICTURES gets a picture of each page, width and theme. A page must request nothing, write
// nothing to the console, have no violation for axe-core, not be wider than its window, and have the same figures without its script; its
// strips over time must follow pointer and keyboard. Exit code 1 where one does not.
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
  await call('Emulation.setFocusEmulationEnabled', { enabled: true })
  await call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }] })
  await call('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 })
  const begun = Date.now()
  await call('Page.navigate', { url })
  await loaded
  const { scripts, wide } = await evaluate(`({ scripts: [...document.scripts].filter(one => one.src || one.type).length + document.scripts.length - 1,
    wide: document.documentElement.scrollWidth })`)
  const opened = Date.now() - begun
  if (scripts > 0) problems.push(`${name} has other scripts than its own`)
  if (wide > width) problems.push(`${name} is ${wide} px wide`)
  const height = await evaluate(`Math.ceil(document.documentElement.getBoundingClientRect().height)`)
  const clip = { x: 0, y: 0, width, height: Math.min(height, mostPixels), scale: 1 }
  const { data } = await call('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, clip })
  writeFileSync(join(pictures, name + '.png'), Buffer.from(data, 'base64'))
  if (theme === 'light' || width < 600) await follow(name, call, evaluate)

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

// The strips of the scenario that took longest, as somebody uses them: by pointer, then by keyboard.
async function follow(name, call, evaluate) {
  const strips = `document.querySelector('.followed')`
  if (!await evaluate(`(() => { const places = group => group.querySelector('svg').viewBox.baseVal.width
    const group = [...document.querySelectorAll('.over-time')].sort((one, other) => places(other) - places(one))[0]
    if (!group) return false
    group.closest('details').open = true
    group.classList.add('followed')
    group.scrollIntoView()
    return true })()`)) return
  const require = (holds, what) => holds || problems.push(`${name}: ${what}`)
  const state = () => evaluate(`(() => { const group = ${strips}, first = group.querySelector('.time-plot svg').getBoundingClientRect()
    return { left: first.left, top: first.top, width: first.width, wide: document.documentElement.scrollWidth,
      boxes: [...new Set([...group.querySelectorAll('.time-plot svg')].map(svg => svg.getAttribute('viewBox')))],
      cursors: [...new Set([...group.querySelectorAll('.cursor')].map(one => one.hidden ? 'hidden' : one.style.left))],
      columns: group.querySelector('svg').viewBox.baseVal.width / 2, time: group.querySelector('.axis .at').textContent,
      ticks: [...group.querySelectorAll('.axis .time-plot span')].map(one => one.textContent).join(),
      said: group.querySelector('[role=slider]').getAttribute('aria-valuetext'), whole: group.querySelector('button').hidden,
      given: [...group.querySelectorAll('[data-v]')].map(key => key.dataset.v.split(',').flatMap(part => {
        const [value, times] = part.split('*'); return Array(+(times ?? 1)).fill(value === '' ? '–' : (+value).toLocaleString('en')) })),
      shown: [...group.querySelectorAll('[data-v] .at')].map(one => one.textContent) } })()`)
  const before = await state()
  const at = share => ({ x: before.left + share * before.width, y: before.top + 20, button: 'left', clickCount: 1 })
  const mouse = (type, share, buttons = 0) => call('Input.dispatchMouseEvent', { type, ...at(share), buttons })
  const key = async (key, modifiers = 0) => {
    for (const type of ['rawKeyDown', 'keyUp']) await call('Input.dispatchKeyEvent', { type, key, code: key, modifiers,
      windowsVirtualKeyCode: { ArrowLeft: 37, ArrowRight: 39, Home: 36, Enter: 13, Escape: 27 }[key] })
  }
  const values = (seen, place) => seen.given.length > 2 && seen.given.every((given, index) => given.length === before.columns && given[place] === seen.shown[index])

  await mouse('mouseMoved', 0.5)
  const pointed = await state()
  const middle = Math.floor(before.columns / 2)
  require(values(pointed, middle), `the pointer in the middle shows ${pointed.shown}, which is not what lies there`)
  require(pointed.cursors.length === 1 && pointed.cursors[0] !== 'hidden', `the pointer has the cursors ${pointed.cursors}`)
  require(pointed.time.endsWith(' s'), `the pointer has the time '${pointed.time}'`)

  if (before.columns >= 4) {
    await mouse('mouseMoved', 0.3)
    await mouse('mousePressed', 0.3, 1)
    await mouse('mouseMoved', 0.6, 1)
    await mouse('mouseReleased', 0.6)
    const [from, to] = [0.3, 0.6].map(share => Math.floor(share * before.columns))
    const zoomed = await state()
    require(zoomed.boxes.join() === `${2 * from} 0 ${2 * (to + 1 - from)} 100`, `dragging over 0.3 to 0.6 of ${before.columns} shows ${zoomed.boxes}`)
    require(!zoomed.whole && zoomed.ticks !== before.ticks, 'a part alone has the axis and the button of the whole')
    require(zoomed.wide <= Math.max(before.wide, await evaluate('innerWidth')), `a part alone makes the page ${zoomed.wide} px wide`)
    const clip = await evaluate(`(() => { const box = ${strips}.getBoundingClientRect()
      return { x: 0, y: box.top + scrollY, width: innerWidth, height: box.height, scale: 1 } })()`)
    const { data } = await call('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, clip })
    writeFileSync(join(pictures, name + '-part.png'), Buffer.from(data, 'base64'))
    await key('Escape')
    const reset = await state()
    require(reset.boxes.join() === before.boxes.join() && reset.whole && reset.ticks === before.ticks, `Escape leaves ${reset.boxes}`)

    await key('Home')
    await key('ArrowRight')
    const moved = await state()
    require(values(moved, 1), `the second place by keyboard shows ${moved.shown}`)
    require(moved.shown.every(value => moved.said.includes(' ' + value)), `a screen reader gets '${moved.said}'`)
    await key('ArrowRight', 8)
    await key('ArrowRight', 8)
    await key('Enter')
    const chosen = await state()
    require(chosen.boxes.join() === '2 0 6 100', `two places more with Shift and Enter show ${chosen.boxes}`)
    await key('Escape')
    require((await state()).boxes.join() === before.boxes.join(), 'Escape does not show all of the time')
  }

  await evaluate('document.activeElement.blur(), scrollTo(0, 0)')
  await call('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 1, y: 1 })
  require((await state()).shown.every(value => value === ''), 'values stay after the pointer has gone')
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
