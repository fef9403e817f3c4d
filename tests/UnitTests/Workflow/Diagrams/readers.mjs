// Gives what the renderers write to the programs that it is written for: elkjs and MSAGL lay it out, Mermaid and bpmn-js draw it in a browser.
//
//   node readers.mjs MODULES RESULTS
//
// MODULES is where npm has installed elkjs, mermaid, bpmn-js and @msagl/parser; RESULTS is what the unit tests of diagrams have written
// (TestResults/diagrams). Prints the table of crossings. Exit code 1 when a program refuses something, or edges cross too often.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInThisContext } from 'node:vm'

const mostCrossings = 1.2
const [modules, results] = process.argv.slice(2).map(path => resolve(path))
if (!results) {
  console.error('Usage: node readers.mjs MODULES RESULTS')
  process.exit(2)
}

const require = createRequire(join(modules, 'node_modules', 'none.js'))
const problems = []
const files = extension => readdirSync(results).filter(name => name.endsWith('.' + extension)).sort()
const text = name => readFileSync(join(results, name), 'utf8')

// Places where an upright and a level line cross, each counted once, as the unit tests count them.
function crossings(edges) {
  const lines = edges.flatMap(points => points.slice(1).map((to, i) => [points[i], to]))
  const upright = lines.filter(([a, b]) => a.x === b.x)
  const level = lines.filter(([a, b]) => a.y === b.y)
  const found = new Set()
  for (const [a, b] of level) {
    for (const [c, d] of upright) {
      if (c.x > Math.min(a.x, b.x) + 0.01 && c.x < Math.max(a.x, b.x) - 0.01 && a.y > Math.min(c.y, d.y) + 0.01 && a.y < Math.max(c.y, d.y) - 0.01) {
        found.add(`${Math.round(c.x)} ${Math.round(a.y)}`)
      }
    }
  }
  return found.size
}

// All that a graph, and the graphs inside of it, have under a name, each with the graph it is in.
function* deep(graph, children, wanted = children) {
  for (const one of graph[wanted] ?? []) yield [one, graph]
  for (const child of graph[children] ?? []) yield* deep(child, children, wanted)
}

async function compareCrossings() {
  const Elk = require('elkjs/lib/elk.bundled.js')
  const elk = new Elk()
  const rows = []
  for (const graph of JSON.parse(text('crossings.json'))) {
    const counts = []
    // elkjs at its best: with edges of one node that run together, and without.
    for (const mergeEdges of ['false', 'true']) {
      const input = structuredClone(graph.elk)
      input.layoutOptions = { ...input.layoutOptions, 'elk.layered.mergeEdges': mergeEdges, 'elk.randomSeed': '1' }
      const placed = await elk.layout(input)
      if (placed.children.some(node => !Number.isFinite(node.x))) problems.push(`elkjs has left out nodes of ${graph.name}`)
      counts.push(crossings(placed.edges.flatMap(edge => edge.sections.map(s => [s.startPoint, ...(s.bendPoints ?? []), s.endPoint]))))
    }
    rows.push({ ...graph, elkjs: Math.min(...counts) })
  }

  console.log('| graph | nodes | edges | crossings | elkjs |\n|---|---:|---:|---:|---:|')
  rows.forEach(row => console.log(`| ${row.name} | ${row.nodes} | ${row.edges} | ${row.crossings} | ${row.elkjs} |`))
  const [ours, theirs] = [rows.reduce((sum, row) => sum + row.crossings, 0), rows.reduce((sum, row) => sum + row.elkjs, 0)]
  console.log(`| **all ${rows.length}** | | | **${ours}** | **${theirs}** |`)
  if (rows.length !== 30) problems.push(`crossings.json has ${rows.length} graphs, not 30`)
  if (ours > mostCrossings * theirs) problems.push(`edges cross ${ours} times, more than ${mostCrossings} times as often as with elkjs (${theirs})`)

  for (const name of files('elk')) {
    const placed = await elk.layout(JSON.parse(text(name)))
    const [nodes, edges] = [[...deep(placed, 'children')], [...deep(placed, 'children', 'edges')]]
    for (const [node, parent] of nodes) {
      if (!(node.x >= 0 && node.y >= 0 && node.x + node.width <= parent.width && node.y + node.height <= parent.height)) problems.push(`elkjs has not placed ${node.id} of ${name} inside of ${parent.id}`)
    }
    for (const [edge] of edges) if (!edge.sections?.length) problems.push(`elkjs has not drawn ${edge.id} of ${name}`)
    console.log(`elkjs: ${name}, ${nodes.length} nodes, ${edges.length} edges`)
  }
}

function* nodesOf(graph) {
  for (const node of graph.shallowNodes) {
    yield node
    if (node.shallowNodes) yield* nodesOf(node)
  }
}

function readMsagl() {
  // Its modules do not load in Node.js; its bundles put what they export into one global.
  for (const part of ['core', 'drawing', 'parser']) runInThisContext(readFileSync(join(modules, 'node_modules', '@msagl', part, 'dist.min.js'), 'utf8'))
  const { parseJSON } = globalThis.msagl
  for (const name of files('msagl')) {
    const written = JSON.parse(text(name))
    const graph = parseJSON(written)
    const count = (...types) => [...deep(written, 'children')].filter(([child]) => types.includes(child.type)).length
    const [nodes, edges] = [[...nodesOf(graph)], [...graph.deepEdges]]
    if (nodes.length !== count('node_stmt', 'subgraph') || edges.length !== count('edge_stmt')) problems.push(`MSAGL reads ${nodes.length} nodes and ${edges.length} edges of ${name}`)
    console.log(`MSAGL: ${name}, ${nodes.length} nodes, ${edges.length} edges`)
  }
}

// A page that writes what it has found as JSON into its body.
function inBrowser(library, script, inputs) {
  const chromium = ['chromium', 'chromium-browser', 'google-chrome'].find(name => {
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })
  if (!chromium) {
    console.log(`Not done for want of chromium: ${library}`)
    return []
  }

  const folder = mkdtempSync(join(tmpdir(), 'diagrams-'))
  try {
    const page = join(folder, 'page.html')
    const data = JSON.stringify(inputs).replaceAll('<', '\\u003c')
    writeFileSync(page, `<!doctype html><meta charset="utf-8"><div id="canvas" style="width:1200px;height:800px"></div><pre id="found"></pre>
<script src="${pathToFileURL(require.resolve(library))}"></script>
<script>const inputs = ${data}; (async () => { const found = []; ${script}
document.getElementById('canvas').remove(); document.getElementById('found').textContent = 'FOUND' + encodeURIComponent(JSON.stringify(found)) + 'END' })()</script>`)
    const dom = execFileSync(chromium, ['--headless', '--no-sandbox', '--disable-gpu', '--allow-file-access-from-files', `--user-data-dir=${folder}`,
      '--virtual-time-budget=60000', '--dump-dom', pathToFileURL(page).href], { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] })
    const found = /FOUND(.*?)END/s.exec(dom)
    if (!found) problems.push(`${library} has found nothing in the browser`)
    return found ? JSON.parse(decodeURIComponent(found[1])) : []
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function drawMermaid() {
  const inputs = files('mermaid').map(name => ({ name, text: text(name) }))
  const found = inBrowser('mermaid/dist/mermaid.min.js', `mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' })
for (const [i, input] of inputs.entries()) {
  try {
    await mermaid.parse(input.text)
    const { svg } = await mermaid.render('m' + i, input.text)
    const drawn = new DOMParser().parseFromString(svg, 'text/html')
    found.push({ name: input.name, nodes: drawn.querySelectorAll('g.node').length, frames: drawn.querySelectorAll('g.cluster').length, text: drawn.body.textContent.length, scripts: drawn.querySelectorAll('script').length })
  } catch (error) { found.push({ name: input.name, error: String(error) }) }
}`, inputs)
  for (const { name, error, nodes, frames, scripts } of found) {
    const count = pattern => text(name).split('\n').filter(line => pattern.test(line)).length
    const [expected, subgraphs] = [count(/^ +n\d+(?![\d ])/), count(/^ +subgraph /)]
    if (error || nodes !== expected || frames !== subgraphs || scripts) {
      problems.push(`Mermaid draws ${nodes} of ${expected} nodes and ${frames} of ${subgraphs} subgraphs of ${name}, ${scripts} scripts: ${error}`)
    } else {
      console.log(`Mermaid: ${name}, ${nodes} nodes, ${frames} subgraphs`)
    }
  }
}

function openBpmn() {
  const inputs = files('bpmn').map(name => ({ name, text: text(name) }))
  const found = inBrowser('bpmn-js/dist/bpmn-navigated-viewer.production.min.js', `for (const input of inputs) {
  const viewer = new BpmnJS({ container: '#canvas' })
  try {
    const { warnings } = await viewer.importXML(input.text)
    const elements = viewer.get('elementRegistry').getAll()
    found.push({ name: input.name, warnings: warnings.map(String), shapes: elements.filter(e => e.di && !e.waypoints && !e.labelTarget).length,
      flows: elements.filter(e => e.waypoints).length })
  } catch (error) { found.push({ name: input.name, error: String(error), warnings: (error.warnings ?? []).map(String) }) }
  viewer.destroy()
}`, inputs)
  for (const { name, error, warnings, shapes, flows } of found) {
    // The process itself is an element too.
    const [boxes, edges] = [text(name).split('<bpmndi:BPMNShape ').length, text(name).split('<bpmndi:BPMNEdge ').length - 1]
    if (error || warnings.length || shapes !== boxes || flows !== edges) {
      problems.push(`bpmn-js shows ${shapes} of ${boxes} shapes and ${flows} of ${edges} flows of ${name}: ${error} ${warnings}`)
    } else {
      console.log(`bpmn-js: ${name}, ${shapes - 1} shapes, ${flows} flows, no warnings`)
    }
  }
}

await compareCrossings()
readMsagl()
drawMermaid()
openBpmn()
for (const extension of ['elk', 'msagl', 'mermaid', 'bpmn']) {
  if (files(extension).length < 10) problems.push(`${results} has ${files(extension).length} files of ${extension}, fewer than 10`)
}
problems.forEach(problem => console.error(`PROBLEM: ${problem}`))
process.exit(problems.length ? 1 : 0)
