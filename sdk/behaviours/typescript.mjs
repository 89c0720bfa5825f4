/**
 * Runs the cases with the TypeScript SDK. `node typescript.mjs <address of the server> <file of the package>` prints
 * the failures. This file is plain JavaScript, because it also runs on the oldest Node that the package supports.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const { cases } = JSON.parse(readFileSync(new URL('cases.json', import.meta.url), 'utf8'))

/**
 * @param {any} sdk the package
 * @param {any} one a case
 * @param {string} serverUrl
 */
export async function play(sdk, one, serverUrl) {
  if (one.function) return playFunction(sdk, one)
  const begun = await fetch(`${serverUrl}/_begin?case=${encodeURIComponent(one.name)}`, { method: 'POST' })
  const { baseUrl } = await begun.json()
  const { cancel, client: options = {}, operation, options: callOptions, times = 1 } = one.call
  const cancelling = new AbortController()
  const waitsMs = []
  let waitedMs = 0
  const clock = {
    now: () => Date.now() + waitedMs,
    random: () => 0.5,
    async sleep(ms) {
      if (cancel === 'waiting') {
        cancelling.abort()
        throw cancelling.signal.reason
      }
      waitsMs.push(ms)
      waitedMs += ms
    },
  }
  const { path = '', token = 'sk_behaviour', ...rest } = options
  const client = new sdk.Tollgate({ baseUrl: baseUrl + path, token, clock, ...rest })
  const [noun, verb] = operation.split('.')
  const call = () => {
    const given = { ...callOptions, ...(cancel && { signal: cancelling.signal }) }
    return verb ? client[noun][verb](inputOf(one), given) : client[noun](inputOf(one), given)
  }
  if (cancel === 'before') cancelling.abort()
  if (cancel === 'running') void seen(baseUrl, 1).then(() => cancelling.abort())
  let outcome = {}
  for (let time = 0; time < times; time++) {
    outcome = await read(call, one.call.as ?? 'data').catch((error) => ({ error }))
  }
  const requests = await seen(baseUrl, 0)
  const { different, error, requestCount, requests: expected, same, waitsMs: waits, ...answered } = one.expect
  if (error) checkError(sdk, outcome.error, error)
  else if (outcome.error) throw outcome.error
  for (const [name, value] of Object.entries(answered)) {
    if (name === 'response') checkResponse(outcome.response, value)
    else assert.deepEqual(outcome[name], value, name)
  }
  if (waits) assert.deepEqual(waitsMs, waits, 'the waits')
  if (requestCount !== undefined) checkCount(requests.length, requestCount)
  if (expected) {
    assert.equal(requests.length, expected.length, 'the number of requests')
    for (const [at, request] of expected.entries()) checkRequest(requests[at], request)
  }
  for (const name of same ?? [])
    assert.equal(new Set(requests.map(({ headers }) => headers[name])).size, 1, name)
  for (const name of different ?? []) {
    assert.equal(new Set(requests.map(({ headers }) => headers[name])).size, requests.length, name)
  }
}

function inputOf({ call: { input = {} } }) {
  const { file } = input
  return file ? { ...input, file: new Uint8Array(Buffer.from(file.base64, 'base64')) } : input
}

async function read(call, as) {
  switch (as) {
    case 'data':
      return { data: plain(await call()) }
    case 'response': {
      const { data, ...response } = await call().withResponse()
      return { data: plain(data), response }
    }
    case 'raw':
      return { text: await (await call().asResponse()).text() }
    case 'rows': {
      const rows = []
      for await (const row of call()) rows.push(row)
      return { rows: plain(rows) }
    }
    case 'pages': {
      const pages = []
      for await (const page of call().pages()) pages.push(plain(page))
      return { pages }
    }
    case 'documents': {
      const documents = []
      const stream = call()
      for await (const document of stream) documents.push(document)
      return { documents: plain(documents), lastEventId: stream.lastEventId }
    }
    default:
      throw new Error(`unknown reading ${as}`)
  }
}

/**
 * Returns the value as plain JSON. The prototypes of objects that the package creates can differ from those of objects
 * in this file.
 */
function plain(value) {
  return JSON.parse(JSON.stringify(value))
}

async function seen(baseUrl, least) {
  return (await fetch(`${baseUrl}/_seen?least=${least}`)).json()
}

/** @param expected a number, or its minimum and maximum */
function checkCount(actual, expected) {
  const { least = 0, most = Infinity } =
    typeof expected === 'number' ? { least: expected, most: expected } : expected
  assert(actual >= least && actual <= most, `the number of requests is ${actual}`)
}

function checkRequest(request, { body, headers = {}, json, method, query, target }) {
  if (method) assert.equal(request.method, method)
  if (target) assert.equal(request.target, target)
  if (query) assert.deepEqual(Object.fromEntries(new URL(request.target, 'http://x').searchParams), query)
  if (body !== undefined) assert.equal(request.body, body, 'the body')
  if (json !== undefined) assert.deepEqual(JSON.parse(Buffer.from(request.body, 'base64').toString()), json)
  for (const [name, value] of Object.entries(headers)) checkText(request.headers[name] ?? null, value, name)
}

/** @param expected a text, or a regular expression between slashes */
function checkText(actual, expected, name) {
  if (expected?.startsWith('/') && expected.endsWith('/'))
    assert.match(actual, new RegExp(expected.slice(1, -1)), name)
  else assert.equal(actual, expected, name)
}

function checkResponse({ etag, requestId, response }, { headers = {}, ...expected }) {
  const actual = { status: response.status, etag, requestId }
  for (const [name, value] of Object.entries(expected)) assert.equal(actual[name], value, name)
  for (const [name, value] of Object.entries(headers)) assert.equal(response.headers.get(name), value, name)
}

function checkError(sdk, error, { class: name, message, without, ...facts }) {
  assert(error, 'nothing was thrown')
  assert(error instanceof sdk[name], `${name} was expected, and not ${error.stack}`)
  if (message) assert(error.message.includes(message), error.message)
  for (const [fact, value] of Object.entries(facts)) assert.deepEqual(plain(error[fact]), value, fact)
  const text = `${error.stack} ${JSON.stringify(error)}`
  if (without) assert(!text.includes(without), `${without} is in the error`)
}

async function playFunction(sdk, { arguments: given, expect, function: name }) {
  const run = async () => {
    if (name !== 'verifyWebhook') return sdk[name](...given)
    const { bodyBase64, header, nowMs, secret, toleranceSeconds } = given
    const body = bodyBase64 === undefined ? given.body : Buffer.from(bodyBase64, 'base64')
    return sdk.verifyWebhook(body, header, secret, {
      now: nowMs,
      ...(toleranceSeconds !== undefined && { toleranceSeconds: Number(toleranceSeconds) }),
    })
  }
  if (!expect.throws) return assert.deepEqual(plain(await run()), expect.result)
  const error = await run().then(
    (result) => assert.fail(`it gave ${JSON.stringify(result)}`),
    (thrown) => thrown,
  )
  const { class: kind = null, message = '', ...facts } = expect.throws
  if (kind) assert(error instanceof sdk[kind], String(error))
  else assert.equal(error.name, 'RangeError')
  assert(error.message.includes(message), error.message)
  for (const [fact, value] of Object.entries(facts)) assert.equal(error[fact], value, fact)
}

const [, program = '', serverUrl = '', file = ''] = process.argv
if (program === fileURLToPath(import.meta.url)) {
  const sdk = file.includes('cjs')
    ? createRequire(import.meta.url)(file)
    : await import(pathToFileURL(file).href)
  const failures = []
  for (const one of cases)
    await play(sdk, one, serverUrl).catch((error) => failures.push(`${one.name}: ${error}`))
  console.log(JSON.stringify({ node: process.version, played: cases.length, failures }))
  process.exit(failures.length > 0 ? 1 : 0)
}
