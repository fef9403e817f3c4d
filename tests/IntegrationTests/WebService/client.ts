// A program as a user of the API writes it, with the types that its description gives. What must not compile says so: a description that
// says nothing of a member would let everything through.
import createClient from 'openapi-fetch'
import type { components, operations, paths } from './api.js'

declare const process: { argv: string[] }
const [origin, key] = process.argv.slice(2) as [string, string]
const client = createClient<paths>({ baseUrl: origin, headers: { 'X-Api-Key': key } })

function must<T>(answer: { data?: T; error?: unknown; response: { status: number; url: string } }): T {
  if (answer.data === undefined) throw new Error(`${answer.response.url}: ${answer.response.status} ${JSON.stringify(answer.error)}`)
  return answer.data
}

function equal<T>(actual: T, expected: T) {
  if (actual !== expected) throw new Error(`${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`)
}

const registered = must(await client.POST('/definitions', {
  body: {
    name: 'review', version: 1, start: 'ask', steps: {
      ask: { type: 'task', groups: ['clerks'], result: 'answer', next: 'wait' },
      wait: { type: 'waitSignal', signal: 'paid', correlation: '= order', next: 'done' },
      done: { type: 'end', output: { approved: '= answer.approved' } },
    },
  },
}))
equal(registered.name, 'review')

const started = must(await client.POST('/instances', { body: { definition: 'review', correlationKey: 'o-1', input: { order: 'o-1' } } }))
const version: number = started.version
equal(version, 1)

const task = must(await client.GET('/tasks', { params: { query: { group: 'clerks' } } })).items[0]!
equal(task.instanceId, started.id)
must(await client.POST('/tasks/{id}/assign', { params: { path: { id: task.id } }, body: { assignee: 'ann' } }))
must(await client.POST('/tasks/{id}/complete', { params: { path: { id: task.id } }, body: { output: { approved: true } } }))
must(await client.POST('/signals', { body: { name: 'paid', correlationKey: 'o-1' } }))

const view: components['schemas']['InstanceView'] = must(await client.GET('/instances/{id}', { params: { path: { id: started.id } } }))
equal(view.state, 'completed')
equal(JSON.stringify(view.output), '{"approved":true}')
const history = must(await client.GET('/instances/{id}/history', { params: { path: { id: started.id } } }))
equal(history.at(-1)?.event, 'completed')
equal(must(await client.GET('/instances', { params: { query: { state: 'completed' } } })).items.length, 1)

const missing = await client.GET('/instances/{id}', { params: { path: { id: '00000000-0000-7000-8000-000000000000' } } })
equal(missing.error?.status, 404)

// Every operation has a name of its own, which generators make methods of.
type Names = keyof operations
const names: Names[] = ['postInstances', 'getInstancesById', 'postInstancesByIdCancel', 'getDefinitionsByNameDiagram']
equal(names.length, 4)

// @ts-expect-error A version is a number.
const text: string = started.version
// @ts-expect-error There is no such route.
const nowhere = () => client.GET('/nowhere')
// @ts-expect-error A start names its definition.
const nameless = () => client.POST('/instances', { body: { correlationKey: 'o-2' } })
// @ts-expect-error There is no such state.
equal(view.state === 'sleeping', false)
console.log(`The generated client ran ${view.definition} version ${version}; ${[text, nowhere, nameless].length} mistakes do not compile.`)
