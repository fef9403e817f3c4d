// Looks at reports as a reader's browser does: headless Chromium, at 1280 and 400 px, in the light and the dark theme.
//
//   node pages.mjs MODULES PICTURES page.html...
//
// MODULES is where npm has installed axe-core and playwright-core. PICTURES gets a picture of each page, width and theme.
// A page must request nothing, write nothing to the console, have one script and no violation for axe-core, and not be
// wider than its window. A report shows its table of scenarios and a chart on the first screen and has under 900 words
// before a scenario is opened; the table sorts, filters and opens; strips follow pointer and keyboard. Exit code 1 where
// one does not.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const mostPixels = 12000
const [modules, pictures, ...pages] = process.argv.slice(2).map(path => resolve(path))
if (pages.length === 0) {
  console.error('Usage: node pages.mjs MODULES PICTURES page.html...')
  process.exit(2)
}

const installed = createRequire(join(modules, 'node_modules', 'none.js'))
const axe = readFileSync(installed.resolve('axe-core/axe.min.js'), 'utf8')
const browser = await installed('playwright-core').chromium.launch({
  executablePath: '/usr/bin/chromium', args: ['--disable-gpu'] })
const problems = []

async function look(file, width, theme) {
  const name = `${basename(dirname(file))}-${basename(file, '.html')}-${width}-${theme}`
  const picture = suffix => join(pictures, `${name}${suffix}.png`)
  const url = pathToFileURL(file).href
  const page = await browser.newPage({ viewport: { width, height: 900 }, isMobile: width < 600, colorScheme: theme })
  page.on('request', request => request.url() === url || problems.push(`${name} requests ${request.url()}`))
  page.on('pageerror', error => problems.push(`${name} throws ${error}`))
  page.on('console', message => problems.push(`${name} logs ${message.type()}: ${message.text()}`))
  const begun = Date.now()
  await page.goto(url)
  const { scripts, wide } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth,
    scripts: [...document.scripts].filter(one => one.src || one.type).length + document.scripts.length - 1 }))
  const opened = Date.now() - begun
  if (scripts > 0) problems.push(`${name} has other scripts than its own`)
  if (wide > width) problems.push(`${name} is ${wide} px wide`)
  const height = await page.evaluate(() => Math.ceil(document.documentElement.getBoundingClientRect().height))
  const clip = { x: 0, y: 0, width, height: Math.min(height, mostPixels) }
  await page.screenshot({ path: picture(''), fullPage: true, clip })
  if (theme === 'light') await arrange(name, page, width)
  if (theme === 'light' || width < 600) await follow(name, page, picture('-part'))

  // What is folded away is part of the page too; of scenarios, which are alike, the first and the last. At one width: no
  // rule depends on it, and only the contrast depends on the theme.
  if (width >= 600) {
    await page.evaluate(axe)
    const insides = await page.evaluate(() => [...document.querySelectorAll('.inside')].map(one => one.id))
    await page.evaluate(() => document.querySelectorAll('details').forEach(one => one.open = true))
    const violations = []
    for (const id of insides.length > 0 ? ['', insides[0], insides.at(-1)] : ['']) {
      await page.evaluate(hash => location.hash = hash, id)
      violations.push(...await page.evaluate(async rules => {
        const found = await axe.run(document, { resultTypes: ['violations'], ...rules })
        return found.violations.map(({ id, impact, help, nodes }) => `${id} (${impact}): ${help}, ${nodes.length} times, `
          + `first ${nodes[0].html.slice(0, 160)} ${nodes[0].any[0]?.message ?? ''}`)
      }, theme === 'light' ? {} : { runOnly: ['color-contrast'] }))
    }
    problems.push(...violations.map(violation => `${name} ${violation}`))
  }
  await page.close()
  console.log(`${name}: ${opened} ms to open, ${height} px high, ${Date.now() - begun} ms in all`)
}

// The table of scenarios, as somebody uses it.
async function arrange(name, page, width) {
  const require = (holds, what) => holds || problems.push(`${name}: ${what}`)
  const rows = () => page.evaluate(() => [...document.querySelectorAll('#scenarios > .scroll > table > tbody > tr')]
    .filter(row => !row.matches('.inside') && !row.hidden).map(row => row.querySelector('a').textContent))
  const all = await rows()
  if (all.length === 0) return
  const first = await page.evaluate(() => {
    const row = document.querySelector('#scenarios > .scroll > table > tbody > tr')
    const box = one => one?.getBoundingClientRect()
    return {
      words: document.body.innerText.split(/\s+/).length,
      row: box(row).bottom,
      chart: box(row.querySelector('svg'))?.bottom,
      shown: [...row.cells].filter(cell => box(cell).width > 0 && box(cell).right <= innerWidth).length,
    }
  })
  require(first.words < 900, `${first.words} words before a scenario is opened`)
  require(first.row < 900, `the first scenario ends at ${first.row} px`)
  require(width < 600 || first.chart === undefined || first.chart < 900, `the first chart ends at ${first.chart} px`)
  require(first.shown >= 4, `${first.shown} columns of the table are on the screen`)

  const search = page.getByRole('searchbox')
  await search.fill(all[0])
  const filtered = await rows()
  require(filtered.includes(all[0]) && filtered.length < all.length, `the filter leaves ${filtered}`)
  await search.fill('no such scenario')
  require((await rows()).length === 0, 'the filter leaves rows that do not match')
  await search.fill('')
  await page.getByRole('button', { name: 'Scenario', exact: true }).click()
  const sorted = await rows()
  const expected = [...all].sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  require(sorted.join() === expected.join(), `sorted by name the order is ${sorted}`)
  const link = page.getByRole('link', { name: sorted[0], exact: true }).first()
  const inside = page.locator((await link.getAttribute('href')).replaceAll('.', '\\.'))
  require(!await inside.isVisible(), 'a scenario is open from the start')
  await link.click()
  require(await inside.isVisible(), 'the name does not open its scenario')
  await inside.getByRole('link', { name: 'Close' }).click()
  require(!await inside.isVisible(), 'an open scenario does not close')
  await page.goto(page.url().split('#')[0])
}

// The charts over time, as read in the page.
function read(group) {
  const all = selector => [...group.querySelectorAll(selector)]
  const first = group.querySelector('.time-plot svg').getBoundingClientRect()
  return {
    left: first.left, top: first.top, width: first.width, wide: document.documentElement.scrollWidth,
    boxes: [...new Set(all('.time-plot svg').map(svg => svg.getAttribute('viewBox')))],
    cursors: [...new Set(all('.cursor').map(one => one.hidden ? 'hidden' : one.style.left))],
    columns: group.querySelector('svg').viewBox.baseVal.width / 2,
    time: group.querySelector('.axis .at').textContent,
    ticks: all('.axis .time-plot span').map(one => one.textContent).join(),
    said: group.querySelector('[role=slider]').getAttribute('aria-valuetext'),
    whole: group.querySelector('button').hidden,
    given: all('[data-v]').map(key => key.dataset.v.split(',').flatMap(part => {
      const [value, times] = part.split('*')
      return Array(+(times ?? 1)).fill(value === '' ? '–' : (+value).toLocaleString('en'))
    })),
    shown: all('[data-v] .at').map(one => one.textContent),
  }
}

// The strips of the scenario that took longest, as somebody uses them: by pointer, then by keyboard.
async function follow(name, page, picture) {
  const strips = (await page.evaluateHandle(() => {
    const places = group => group.querySelector('svg').viewBox.baseVal.width
    return [...document.querySelectorAll('.over-time')].sort((one, other) => places(other) - places(one))[0]
  })).asElement()
  if (!strips) return
  await strips.evaluate(group => {
    location.hash = group.closest('.inside').id
    group.scrollIntoView()
  })
  const require = (holds, what) => holds || problems.push(`${name}: ${what}`)
  const state = () => strips.evaluate(read)
  const before = await state()
  const point = share => page.mouse.move(before.left + share * before.width, before.top + 20)
  const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key) }
  const values = (seen, place) => seen.given.length > 2
    && seen.given.every((given, index) => given.length === before.columns && given[place] === seen.shown[index])

  await point(0.5)
  const pointed = await state()
  const middle = Math.floor(before.columns / 2)
  require(values(pointed, middle), `the pointer in the middle shows ${pointed.shown}, which is not what lies there`)
  require(pointed.cursors.length === 1 && pointed.cursors[0] !== 'hidden', `the pointer has cursors ${pointed.cursors}`)
  require(pointed.time.endsWith(' s'), `the pointer has the time '${pointed.time}'`)

  if (before.columns >= 4) {
    await point(0.3)
    await page.mouse.down()
    await point(0.6)
    await page.mouse.up()
    const [from, to] = [0.3, 0.6].map(share => Math.floor(share * before.columns))
    const zoomed = await state()
    require(zoomed.boxes.join() === `${2 * from} 0 ${2 * (to + 1 - from)} 100`,
      `dragging over 0.3 to 0.6 of ${before.columns} shows ${zoomed.boxes}`)
    require(!zoomed.whole && zoomed.ticks !== before.ticks, 'a part alone has the axis and the button of the whole')
    require(zoomed.wide <= Math.max(before.wide, await page.evaluate(() => innerWidth)),
      `a part alone makes the page ${zoomed.wide} px wide`)
    await strips.screenshot({ path: picture })
    await press('Escape')
    const reset = await state()
    require(reset.boxes.join() === before.boxes.join() && reset.whole && reset.ticks === before.ticks,
      `Escape leaves ${reset.boxes}`)

    await press('Home', 'ArrowRight')
    const moved = await state()
    require(values(moved, 1), `the second place by keyboard shows ${moved.shown}`)
    require(moved.shown.every(value => moved.said.includes(' ' + value)), `a screen reader gets '${moved.said}'`)
    await press('Shift+ArrowRight', 'Shift+ArrowRight', 'Enter')
    const chosen = await state()
    require(chosen.boxes.join() === '2 0 6 100', `two places more with Shift and Enter show ${chosen.boxes}`)
    await press('Escape')
    require((await state()).boxes.join() === before.boxes.join(), 'Escape does not show all of the time')
  }

  await page.evaluate(() => {
    document.activeElement.blur()
    scrollTo(0, 0)
  })
  await page.mouse.move(1, 1)
  require((await state()).shown.every(value => value === ''), 'values stay after the pointer has gone')
}

try {
  for (const file of pages) {
    for (const width of [1280, 400]) await Promise.all(['light', 'dark'].map(theme => look(file, width, theme)))
  }
} finally {
  await browser.close()
}

problems.forEach(problem => console.error(problem))
process.exit(problems.length ? 1 : 0)
