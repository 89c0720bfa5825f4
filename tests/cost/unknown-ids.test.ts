/**
 * A request with the ID of another end user's file, response or container costs the same work as a request with an
 * unknown ID. Counts are compared instead of times, because counts are the same on every machine.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import OpenAI, { toFile } from 'openai'
import { expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { connectAccount, makeApplication, spawnServer, type Application } from '../support/harness.ts'
import { startVendor } from '../support/simulated-vendor.ts'
import type { Counts } from './process-counters.ts'

const model = 'acme/openai'
const filePath = (id: string) => `/v1/files/${id}`
const responsePath = (id: string) => `/v1/responses/${id}`
const asking = (body: object) => ({ method: 'POST', path: '/v1/responses', body: { model, ...body } })

const messagesPath = '/v1/messages'
const runningCode = (body: object) => ({
  model: 'acme/claude',
  max_tokens: 9,
  messages: [{ role: 'user', content: '[[run=1]]' }],
  tools: [{ type: 'code_execution_20260120', name: 'code_execution' }],
  ...body,
})

/** A request with an ID that the caller does not own. */
interface Use {
  readonly method: string
  readonly path: string
  readonly body?: object
}

const uses: Readonly<Record<string, (ids: Ids) => Use>> = {
  'show a file': ({ file }) => ({ method: 'GET', path: filePath(file) }),
  'read a file': ({ file }) => ({ method: 'GET', path: `${filePath(file)}/content` }),
  'delete a file': ({ file }) => ({ method: 'DELETE', path: filePath(file) }),
  'ask about a file': ({ file }) =>
    asking({ input: [{ role: 'user', content: [{ type: 'input_file', file_id: file }] }] }),
  'show a file of Google': ({ googleFile }) => ({ method: 'GET', path: `/v1beta/files/${googleFile}` }),
  'delete a file of Google': ({ googleFile }) => ({ method: 'DELETE', path: `/v1beta/files/${googleFile}` }),
  'ask about a file of Google': ({ googleFile }) => ({
    method: 'POST',
    path: '/v1beta/models/acme/google:generateContent',
    body: { contents: [{ parts: [{ fileData: { fileUri: `files/${googleFile}` } }] }] },
  }),
  'show a response': ({ response }) => ({ method: 'GET', path: responsePath(response) }),
  'list the input of a response': ({ response }) => ({
    method: 'GET',
    path: `${responsePath(response)}/input_items`,
  }),
  'cancel a response': ({ response }) => ({ method: 'POST', path: `${responsePath(response)}/cancel` }),
  'delete a response': ({ response }) => ({ method: 'DELETE', path: responsePath(response) }),
  'continue a response': ({ response }) => asking({ input: 'Hi', previous_response_id: response }),
  'use a container': ({ container }) => ({
    method: 'POST',
    path: messagesPath,
    body: runningCode({ container }),
  }),
}

interface Ids {
  readonly file: string
  readonly googleFile: string
  readonly response: string
  readonly container: string
}

const counted = ['statements', 'rows', 'commits', 'promises', 'timers'] as const
const requestsOfWindow = 20
const windowsMax = 30

test('the ID of another owner costs exactly the work of an unknown ID', { timeout: 300_000 }, async () => {
  const folder = newDataFolder('unknown-ids')
  const socket = join(folder, 'counts.sock')
  const server = await spawnServer(folder, {
    environment: {
      NODE_OPTIONS: `--import ${join(import.meta.dirname, 'process-counters.ts')}`,
      COUNTS_SOCKET: socket,
      COUNTS_OF: 'objects',
    },
  })
  const vendor = await startVendor()
  const own = await makeApplication(server)
  const foreign = await makeApplication(server)
  const account = { kind: 'openai', baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey, model: 'gpt-5.4' }
  const price = { input: '1000000', cacheWrite: '1000000', output: '1000000' }
  const google = { ...account, kind: 'google', baseUrl: vendor.baseUrls.google, model: 'gemini-3-pro' }
  const claude = {
    ...account,
    kind: 'anthropic',
    baseUrl: vendor.baseUrls.anthropic,
    model: 'claude-sonnet-5',
  }
  const claudePrice = { ...price, cacheWriteLong: '1000000', codeSession: '1' }
  for (const application of [own, foreign]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await connectAccount(application, 'openai', { ...account, price })
    // oxlint-disable-next-line no-await-in-loop -- as above
    await connectAccount(application, 'google', { ...google, price })
    // oxlint-disable-next-line no-await-in-loop -- as above
    await connectAccount(application, 'claude', { ...claude, price: claudePrice })
  }
  const owned = await newIds(own)
  const caller = await own.newUser({ balanceMicros: 1_000_000_000n })
  const ids: Readonly<Record<string, Ids>> = {
    unknown: {
      file: changed(owned.file),
      googleFile: owned.googleFile.replace(/^./, (first) => (first === '0' ? '1' : '0')),
      response: changed(owned.response),
      container: changed(owned.container),
    },
    'of another end user': owned,
    'of another application': await newIds(foreign),
  }
  const asked = vendor.calls.length
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  const send = async ({ body, method, path }: Use): Promise<void> => {
    const json = body === undefined ? '' : JSON.stringify(body)
    const sent = request({
      agent,
      host: '127.0.0.1',
      port: own.gatewayPort,
      method,
      path,
      headers: {
        authorization: `Bearer ${caller.key}`,
        ...(body && { 'content-type': 'application/json' }),
        'content-length': Buffer.byteLength(json),
      },
    })
    sent.end(json)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    assert.equal(response.statusCode, 404, path)
  }
  const window = async (use: Use): Promise<number[]> => {
    const before = await countsAt(socket)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (let sent = 0; sent < requestsOfWindow; sent++) await send(use)
    const after = await countsAt(socket)
    return counted.map((name) => Math.round((after[name] - before[name]) / requestsOfWindow))
  }

  const table: string[] = []
  for (const [name, useOf] of Object.entries(uses)) {
    const all = Object.entries(ids).map(([whose, id]) => ({ whose, use: useOf(id), least: [] as number[] }))
    for (const { use } of all) await window(use)
    // Other work of the server adds to some windows. The lowest count decides.
    for (let i = 0; i < windowsMax && (i < 2 || !isSame(all)); i++)
      for (const one of all) {
        const now = await window(one.use)
        one.least = now.map((count, at) => Math.min(count, one.least[at] ?? Infinity))
      }
    table.push(`${name}: ${counted.map((count, at) => `${count} ${all[0]?.least[at]}`).join(', ')}`)
    const [unknown, ...others] = all
    for (const { least, whose } of others) expect(least, `${name} ${whose}`).toEqual(unknown?.least)
  }
  console.info(table.join('\n'))
  expect(vendor.calls).toHaveLength(asked)
  agent.destroy()
  await Promise.all([own.provider.close(), foreign.provider.close(), vendor.close()])
  server.child.kill('SIGTERM')
  await server.ended
})

function isSame(all: readonly { readonly least: readonly number[] }[]): boolean {
  return new Set(all.map(({ least }) => least.join())).size === 1
}

/** Returns the IDs of a file, of a response and of a container that a new end user of the application owns. */
async function newIds(application: Application): Promise<Ids> {
  const { key } = await application.newUser({ balanceMicros: 1_000_000_000n })
  const client = new OpenAI({ apiKey: key, baseURL: `${application.gateway}/v1`, maxRetries: 0 })
  const file = await client.files.create({
    file: await toFile(Buffer.from('Hello'), 'a.txt'),
    purpose: 'user_data',
  })
  const response = await client.responses.create({ model, input: 'Hi' })
  return {
    file: file.id,
    googleFile: await newGoogleFile(application, key),
    response: response.id,
    container: await newContainer(application, key),
  }
}

async function newContainer({ gateway }: Application, key: string): Promise<string> {
  const ran = await fetch(`${gateway}${messagesPath}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(runningCode({})),
  })
  const { container } = (await ran.json()) as { readonly container: { readonly id: string } }
  return container.id
}

async function newGoogleFile({ gateway }: Application, key: string): Promise<string> {
  const post = (url: string, headers: Record<string, string>, body: string): Promise<Response> =>
    fetch(url, { method: 'POST', headers: { 'x-goog-api-key': key, ...headers }, body })
  const start = { 'content-type': 'application/json', 'x-goog-upload-protocol': 'resumable' }
  const file = JSON.stringify({ file: { mimeType: 'text/plain' } })
  const started = await post(`${gateway}/upload/v1beta/files`, start, file)
  const { pathname, search } = new URL(started.headers.get('x-goog-upload-url') ?? '')
  const sent = await post(
    `${gateway}${pathname}${search}`,
    { 'x-goog-upload-command': 'upload, finalize' },
    'Hello',
  )
  const { name } = ((await sent.json()) as { file: { name: string } }).file
  return name.replace('files/', '')
}

/** Returns an ID of the same length that no one owns. */
function changed(id: string): string {
  return `${id.slice(0, 12)}${id[12] === 'A' ? 'B' : 'A'}${id.slice(13)}`
}

async function countsAt(socket: string): Promise<Counts> {
  const connection = connect(socket)
  await once(connection, 'connect')
  return JSON.parse(await text(connection)) as Counts
}
