// Looks at the pages of the web service in a real browser, at two widths, light and dark, and works with them as a
// person does.
//
//   node pages.mjs SERVICE PICTURES MODULES
//
// SERVICE is the built Workflow.WebService.dll, which is started on a free port; PICTURES is a folder for a picture of
// every page; MODULES is where npm has installed axe-core and playwright-core. Exit code 1 when a page has an error, asks
// anybody but the service, is wider than its window, has what a person cannot read or reach, or does not do what it says.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { startService } from './service.mjs'

const [service, pictures, modules] = process.argv.slice(2).map(path => resolve(path))
if (!modules) {
  console.error('Usage: node pages.mjs SERVICE PICTURES MODULES')
  process.exit(2)
}

const key = 'pages-4711-0123456789abcdef'
const deadlineMs = 20_000
const problems = []
const problem = text => problems.push(text)
const expect = (holds, what) => holds || problem(what)
const installed = createRequire(join(modules, 'node_modules', 'none.js'))
const axe = readFileSync(installed.resolve('axe-core/axe.min.js'), 'utf8')

// Messages of the console that are not a problem: the page that asks for the key is not the page that was asked for.
let expected = null

// Opens a page and notes what it requests and which errors it has.
async function open(browser, origin) {
  const page = await browser.newPage({ baseURL: origin })
  page.setDefaultTimeout(deadlineMs)
  page.on('request', request => expect(request.url().startsWith(origin + '/'), `${where(page)} asks ${request.url()}`))
  page.on('pageerror', error => problem(`${where(page)}: ${error.stack}`))
  page.on('console', message => expect(['debug', 'verbose'].includes(message.type()) ||
    message.text().startsWith('@scalar/api-reference@') || expected?.test(message.text()),
    `${where(page)}: the console says ${message.text()}`))
  return page
}

function where(page) {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}

// A click that leads to another page.
const click = (page, selector) => Promise.all([page.waitForEvent('load'), page.click(selector)])
const text = page => page.innerText('body')

// The content of a service after a while, with names and values that would be markup if they were not escaped.
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

async function look(page, name, path, width, scheme) {
  await page.emulateMedia({ colorScheme: scheme })
  await page.setViewportSize({ width, height: 900 })
  await page.goto(path)
  if (path === '/ui/api') await page.locator('#api h1').first().waitFor()
  const about = `${path} at ${width} px, ${scheme}`
  const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
  expect(wide[0] <= wide[1], `${about} is ${wide[0]} px wide`)
  expect(await page.evaluate(() => [...document.images].every(image => image.complete && image.naturalWidth > 0)),
    `${about}: a picture does not show`)
  // The content is the same at both widths, and the colours differ between the schemes.
  if ((width === 1280) === (scheme === 'light')) {
    await page.evaluate(axe)
    // What the package's script draws in #api is the package's.
    const found = await page.evaluate(async () => (await axe.run({ exclude: ['#api'] })).violations.map(({ id, nodes }) =>
      `${id} in ${nodes.slice(0, 3).map(node => node.html).join(' ')}`))
    found.forEach(violation => problem(`${about}: axe-core finds ${violation}`))
  }
  await page.screenshot({ path: join(pictures, `${name}-${width}-${scheme}.png`), fullPage: true })
}

async function signIn(page) {
  expected = /401/
  await page.goto('/ui/instances?state=failed')
  expect((await text(page)).includes('API key'), 'Without a key the page does not ask for one')
  const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(dark !== 'rgba(0, 0, 0, 0)', 'The page that asks for the key has no style')
  await page.fill('#key', key)
  await click(page, 'main button')
  expected = null
  expect(where(page) === '/ui/instances?state=failed', `Signing in leads to ${where(page)}`)
  expect(await page.evaluate(() => document.cookie === ''), 'A script can read the cookie of the session')
}

async function work(page, origin, { waiting, reviewed, failed, start }) {
  await page.goto(`/ui/instances/${reviewed}`)
  await click(page, 'td a[href^="/ui/tasks/"]')
  await page.fill('#assignee', 'ann')
  await click(page, 'form[action$="/assign"] button')
  expect((await text(page)).includes('It is assigned.'), 'The task is not assigned')
  await page.fill('#output', '{ "ok": true }')
  await click(page, 'form[action$="/complete"] button')
  expect((await text(page)).includes('It is completed'), 'The task is not completed')
  await page.goto(`/ui/instances/${reviewed}`)
  expect(/taskCompleted/.test(await text(page)), 'The history does not have the task')

  await page.goto(`/ui/instances/${failed}`)
  await page.fill('#variables', '{ "customer": { "id": "c-1" } }')
  await click(page, 'form[action$="/retry"] button')
  expect(/retried/.test(await text(page)), 'The history does not have the retry')

  await page.goto('/ui/instances')
  await page.fill('#definition', 'gree')
  expect((await text(page)).includes('instances match'), 'The list does not say how many instances match')
  await page.selectOption('#match', 'prefix')
  await click(page, 'form.filter button')
  expect((await text(page)).includes('greeting 2'), 'The search by prefix does not find the instances')
  expect(await page.inputValue('#match') === 'prefix', 'The filter does not keep the choice of a prefix')
  const stopped = (await start('broken', {}, 'k-2')).id
  await page.goto(`/ui/instances/${stopped}`)
  await page.selectOption('#step', 'done')
  await click(page, 'form[action$="/retry"] button')
  expect(/at done/.test(await text(page)) && (await text(page)).includes('completed'), 'The retry does not continue at its step')

  await page.goto(`/ui/instances/${waiting}`)
  await click(page, 'form[action$="/suspend"] button')
  await click(page, 'form[action$="/resume"] button')
  await page.click('details summary')
  await click(page, 'form[action$="/signal"] button')
  expect(/signalled/.test(await text(page)), 'The history does not have the signal')

  await page.goto('/ui/register')
  const file = readFileSync(new URL('../../../fixtures/bpmn/load-linear.bpmn', import.meta.url), 'utf8')
    .replace('<process ', '<process xmlns:v="urn:vendor" v:color="red" ')
  await page.setInputFiles('#file', { name: 'linear.bpmn', mimeType: 'application/xml', buffer: Buffer.from(file) })
  await page.selectOption('#unknown', 'report')
  await click(page, 'button[value="register"]')
  expect((await text(page)).includes('Passed over'), 'The page does not list what was passed over')

  await page.goto('/')
  expect(where(page) === '/ui', `The root leads to ${where(page)}`)
  await page.goto('/ui/definition?name=greeting&version=2')
  await page.click('details summary')
  await page.fill('#input', '{ "requestId": "r-9" ')
  await page.fill('#correlationKey', 'r-9')
  expected = /400/
  await click(page, 'form[action*="/start"] button')
  expected = null
  expect(await page.inputValue('#input') === '{ "requestId": "r-9" ', 'The refused form does not keep the input')
  await page.fill('#input', '{ "requestId": "r-9" }')
  await click(page, 'form[action*="/start"] button')
  expect((await text(page)).includes('The instance is started.'), 'The instance is not started')
  const begun = where(page)
  await page.goto('/ui/signal')
  await page.fill('#name', 'answer')
  await page.fill('#correlationKey', 'r-9')
  await click(page, 'form[action="/ui/signal"] button')
  expect((await text(page)).includes('took the signal'), 'No instance took the signal')
  await page.goto(begun)
  expect((await text(page)).includes('completed'), 'The signal did not complete the instance')

  await start('greeting', { requestId: 'r-10' })
  await page.goto('/ui/instances?definition=greeting&state=waiting')
  await click(page, 'main a[href^="/ui/instances/cancel"]')
  await click(page, 'form[action="/ui/instances/cancel"] button')
  expect(/(\d+) of \1 are done/.test(await text(page)), 'The instances are not cancelled')

  await page.goto('/ui/tasks')
  await page.locator('#live', { hasText: 'follows' }).waitFor()
  const tasks = await page.locator('#list tbody tr').count()
  await start('review', { id: 'q-2' })
  await page.locator('#list tbody tr').nth(tasks).waitFor()

  await page.goto('/ui/events?definition=greeting')
  await page.locator('#live', { hasText: 'appear' }).waitFor()
  const rows = await page.locator('tbody tr').count()
  await start('order', { price: 2, quantity: 1, requestId: 'unseen', agent: 'ann' })
  const { id } = await start('greeting', { requestId: 'r-3' })
  await fetch(`${origin}/instances/${id}/cancel`, { method: 'POST', headers: { 'X-Api-Key': key } })
  await page.locator('tbody tr').nth(rows).waitFor()
  expect((await page.innerText('tbody tr')).includes(id), 'The newest event is not the first')

  await sendExample(page, origin)
  await page.goto('/ui')
  await click(page, '.session button')
  expected = /401/
  await page.goto('/ui/instances')
  expect((await text(page)).includes('API key'), 'Signing out does not end the session')
}

// Sends the example of a request from the page of the API, with a key that is typed there.
async function sendExample(page, origin) {
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' }
  const { paths } = await (await fetch(`${origin}/openapi/v1.json`, { headers })).json()
  const { example } = paths['/definitions'].post.requestBody.content['application/json']
  const registered = await fetch(`${origin}/definitions`, { method: 'POST', headers, body: JSON.stringify(example) })
  expect(registered.ok, `The example of a definition is answered ${registered.status}`)
  await page.goto('/ui/api#tag/instances/POST/instances')
  await page.getByRole('button', { name: /Test Request.*post \/instances\)/i }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: /value/i }).fill(key)
  const [answer] = await Promise.all([page.waitForResponse(response => response.request().method() === 'POST'),
    page.getByRole('button', { name: /^Send/ }).first().click()])
  expect(answer.status() === 201, `The page of the API starts an instance, and is answered ${answer.status()}`)
  await page.screenshot({ path: join(pictures, 'api-sent-1280-dark.png') })
}

const { origin, stop } = await startService(service, key)
let browser
try {
  browser = await installed('playwright-core').chromium.launch({
    executablePath: '/usr/bin/chromium', args: ['--disable-gpu'] })
  const seeded = await seed(origin)
  const page = await open(browser, origin)
  await signIn(page)
  const task = (await (await fetch(`${origin}/tasks?group=clerks`, { headers: { 'X-Api-Key': key } })).json()).items[0].id
  const pages = { overview: '/ui', definitions: '/ui/definitions', register: '/ui/register', signal: '/ui/signal', many: '/ui/instances/cancel?definition=greeting', definition: '/ui/definition?name=order', documented: '/ui/definition?name=greeting',
    instances: '/ui/instances', searched: '/ui/instances?definition=gree&match=prefix', waiting: `/ui/instances/${seeded.waiting}`, failed: `/ui/instances/${seeded.failed}`, tasks: '/ui/tasks', task: `/ui/tasks/${task}`,
    'dead-letters': '/ui/dead-letters', events: '/ui/events', load: '/ui/load', api: '/ui/api', 'sign-in': '/ui/sign-in' }
  for (const [name, path] of Object.entries(pages)) {
    for (const width of [1280, 400]) {
      for (const scheme of ['light', 'dark']) await look(page, name, path, width, scheme)
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  await work(page, origin, seeded)
  console.log(`${Object.keys(pages).length} pages in ${pictures}`)
} catch (error) {
  problem(error.stack)
} finally {
  await browser?.close()
  await stop()
}
problems.forEach(text => console.error(`PROBLEM: ${text}`))
process.exit(problems.length ? 1 : 0)
