/**
 * Makes calls through a router with two providers, one of which fails. This file computes the expected amounts from
 * prices and reported usage, without the product's arithmetic.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { costMicros, countedOutput, countedTurn, type Rates } from './expected-costs.ts'
import {
  startFramedProvider,
  type FramedAnswer,
  type FramedProvider,
  type Told,
} from './provider-with-given-frames.ts'
import {
  apiOf,
  control,
  eventually,
  settledBalance,
  startServer,
  type Application,
  type LocalServer,
  type StartOptions,
} from './start-product.ts'
import {
  answerBytesMax,
  goodAnswer,
  marks,
  piecesOf,
  piecesSeen,
  toldOfRefusal,
  type Fault,
  type Speaker,
} from './provider-faults.ts'
import { readStream, readWhole, requestOf, type Read, usualText } from './request-and-reader-of-each-wire.ts'

export const accountKinds = ['openai_compatible', 'openai', 'anthropic', 'google'] as const
export type AccountKind = (typeof accountKinds)[number]
type Side = 'a' | 'b' | 'c'
const sides: readonly Side[] = ['a', 'b', 'c']

/** The prices do not divide evenly, so that rounding changes the amounts. */
export const rates: Readonly<Record<Side, Rates>> = {
  a: { input: 2_500_001n, output: 10_000_003n },
  b: { input: 5_000_003n, output: 25_000_009n },
  c: { input: 1_000_003n, output: 4_000_007n },
}
/** Used in the bundle that charges a sell price. */
const sellRates: Rates = { input: 7_000_001n, output: 31_000_003n }

export const voices: Readonly<Record<Side, { readonly text: string; readonly told: Told }>> = {
  a: { text: 'alpha alpha alpha', told: { input: 41, output: 31 } },
  b: { text: 'bravo bravo bravo', told: { input: 47, output: 37 } },
  c: { text: 'charlie charlie', told: { input: 53, output: 43 } },
}

export const outputTokensMax = 64
const credit = 1_000_000_000n

export interface FaultWorld {
  readonly server: LocalServer
  readonly providers: Readonly<Record<Side, FramedProvider>>
  readonly callsOf: (model: string) => number
  readonly say: (model: string, answer: (speaker: Speaker) => FramedAnswer) => void
  readonly newApplication: () => Promise<FaultApplication>
  readonly close: () => Promise<void>
}

/** Each provider has its own model, because circuits and calls are identified by the model. */
export interface FaultApplication {
  readonly api: Application['api']
  readonly gateway: string
  readonly slug: string
  readonly person: (bundle: 'basic' | 'sold', balanceMicros?: bigint) => Promise<Person>
}

export interface Person {
  readonly externalId: string
  readonly key: string
  readonly bundle: 'basic' | 'sold'
  readonly granted: bigint
  /** Sum of the amounts that the oracle has computed so far. */
  charged: bigint
}

let made = 0

export async function startFaultWorld({
  drainMs = 500,
  ...options
}: Pick<StartOptions, 'databaseUrl'> & { readonly drainMs?: number } = {}): Promise<FaultWorld> {
  const limits = { responseBytesMax: answerBytesMax, drainMs }
  const server = await startServer({ limits, ...options })
  const [a, b, c] = await Promise.all([startFramedProvider(), startFramedProvider(), startFramedProvider()])
  const providers = { a, b, c }
  const scripts = new Map<string, (speaker: Speaker) => FramedAnswer>()
  const calls = new Map<string, number>()
  for (const side of sides) {
    providers[side].answer = (wire, body, path) => {
      const [model = ''] = modelPattern.exec(decodeURIComponent(path) + body) ?? []
      calls.set(model, (calls.get(model) ?? 0) + 1)
      const answer = scripts.get(model) ?? goodAnswer
      const isStream = path.includes(':stream') || /"stream": ?true/.test(body)
      const baseUrl = `http://127.0.0.1:${providers[side].port}/${marks.path}-${side}`
      return answer({ wire, isStream, model, baseUrl, apiKey: keyOf(side), ...voices[side] })
    }
  }
  const account = (label: string, kind: AccountKind, side: Side, origin: string): Promise<unknown> =>
    apiOf(server, '')('PUT', `/v1/providers/${label}`, {
      kind,
      baseUrl: addressOf(kind, origin),
      apiKey: keyOf(side),
    })
  await control(server, 'PUT', '/v1/apps/first', { name: 'first' })
  for (const kind of accountKinds) {
    /* oxlint-disable no-await-in-loop -- one after the other */
    for (const side of sides) {
      const origin = `http://127.0.0.1:${providers[side].port}/${marks.path}-${side}`
      await account(labelOf(side, kind), kind, side, origin)
    }
    for (const side of ['a', 'b'] as const) {
      await account(
        labelOf(side, kind, 'tls'),
        kind,
        side,
        `https://127.0.0.1:${providers[side].port}/${marks.path}`,
      )
      await account(labelOf(side, kind, 'name'), kind, side, `http://${marks.path}-${side}.invalid`)
      await account(labelOf(side, kind, 'port'), kind, side, `http://127.0.0.1:9/${marks.path}`)
    }
    /* oxlint-enable no-await-in-loop */
  }
  return {
    server,
    providers,
    callsOf: (model) => calls.get(model) ?? 0,
    say: (model, answer) => void scripts.set(model, answer),
    newApplication: () => newApplication(server),
    async close() {
      await Promise.all(sides.map((side) => providers[side].close()))
      await server.close()
    },
  }
}

const modelPattern = new RegExp(`${marks.model}-[abc]-\\d+`)

/** The key is different for each provider, and longer than any text that the test searches for. */
export function keyOf(side: Side): string {
  return `${marks.key}${side.toUpperCase()}Lm${side}RrW20sYpq`
}

export function labelOf(side: Side, kind: AccountKind, fault?: Fault['account']): string {
  return `${marks.label}-${side}-${kind.replaceAll('_', '-')}${fault === undefined ? '' : `-${fault}`}`
}

function addressOf(kind: AccountKind, origin: string): string {
  return kind === 'openai' || kind === 'openai_compatible' ? `${origin}/v1` : origin
}

async function newApplication(server: LocalServer): Promise<FaultApplication> {
  const slug = `faults-${++made}`
  const api = apiOf(server, slug)
  const { localGateway } = await api('PUT', `/v1/apps/${slug}`, { name: slug })
  await api('PUT', '/v1/bundles/basic', { displayName: 'Basic' })
  await api('PUT', '/v1/bundles/sold', { displayName: 'Sold', debitBasis: 'sell_price' })
  for (const bundle of ['basic', 'sold'])
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await api('POST', `/v1/bundles/${bundle}/allow`, { models: ['*'] })
  return {
    api,
    slug,
    gateway: localGateway,
    async person(bundle, balanceMicros = credit) {
      const externalId = `user-${++made}`
      const { key } = await api('POST', '/v1/keys', { endUserId: externalId, bundle })
      await api('POST', '/v1/grants', {
        endUsers: [externalId],
        amountUnits: String(balanceMicros),
        reason: 'test',
      })
      return { externalId, key, bundle, granted: balanceMicros, charged: 0n }
    },
  }
}

/** Every dimension has the price of the input or of the output, so the test knows which call is the most expensive. */
function priceOf({ input, output }: Rates): Readonly<Record<string, string>> {
  const inputs = ['input', 'cacheRead', 'cacheWrite', 'cacheWriteLong', 'audioInput', 'imageInput']
  return {
    ...Object.fromEntries(inputs.map((name) => [name, String(input)])),
    output: String(output),
  }
}

export interface Target {
  readonly side: Side
  readonly kind: AccountKind
  readonly account?: Fault['account']
  readonly maxInFlight?: number
  readonly timeouts?: object | undefined
  /** Defaults to the price of its provider (`a` or `b`). */
  readonly price?: Rates
}

/**
 * @param attempts null if the request sends no rules, so that every rule has its default
 * @returns the IDs of the models
 */
export async function route(
  { api }: FaultApplication,
  name: string,
  targets: readonly Target[],
  attempts: object | null = {},
): Promise<string[]> {
  const models: string[] = []
  const sent: object[] = []
  for (const { account, kind, maxInFlight, price, side, timeouts } of targets) {
    const model = `${marks.model}-${side}-${++made}`
    const label = labelOf(side, kind, account)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await api('POST', `/v1/providers/${label}/price`, { model, price: priceOf(price ?? rates[side]) })
    models.push(model)
    sent.push({
      provider: label,
      model,
      ...(maxInFlight !== undefined && { maxInFlight }),
      ...(timeouts !== undefined && { timeouts }),
    })
  }
  // No retries at the same target, because most cases test which target is called next.
  // tests/end-to-end/failover-bench-scenarios.test.ts tests the default rules.
  const rules = attempts && { attempts: { retriesPerTarget: 0, ...attempts } }
  await api('PUT', `/v1/routers/${encodeURIComponent(name)}`, {
    policy: 'priority',
    targets: sent,
    ...rules,
  })
  return models
}

export interface Case {
  readonly client: WireName
  readonly isStream: boolean
  readonly fault: Fault
  readonly first: AccountKind
  readonly second: AccountKind
  /** Whether the second target fails in the same way as the first target. */
  readonly isHopeless: boolean
}

export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export async function send(
  { gateway }: FaultApplication,
  { key }: Person,
  { path, body }: { readonly path: string; readonly body: string },
): Promise<Received> {
  const response = await fetch(gateway + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

interface Prepared {
  readonly one: Case
  readonly person: Person
  readonly name: string
  readonly models: readonly string[]
}

async function prepare(app: FaultApplication, person: Person, one: Case): Promise<Prepared> {
  const { fault, first, isHopeless, second } = one
  const name = `acme/r${++made}`
  const failing = { account: fault.account, timeouts: fault.timeouts }
  const models = await route(app, name, [
    { side: 'a', kind: first, ...failing },
    { side: 'b', kind: second, ...(isHopeless && failing) },
  ])
  if (person.bundle === 'sold')
    await app.api('POST', '/v1/bundles/sold/price', { model: name, price: priceOf(sellRates) })
  return { one, person, name, models }
}

interface Attempted {
  readonly target: string
  readonly code: string | null
  /** Null if the provider has received no connection. */
  readonly connectMs: number | null
  /** Null if the head of the response has not arrived. */
  readonly firstByteMs: number | null
}

async function play(
  world: FaultWorld,
  app: FaultApplication,
  { models, name, one, person }: Prepared,
): Promise<void> {
  const { client, fault, isHopeless, isStream } = one
  const [modelA = '', modelB = ''] = models
  const spoken: Partial<Record<Side, Speaker>> = {}
  const fail =
    (side: Side) =>
    (speaker: Speaker): FramedAnswer => {
      spoken[side] = speaker
      assert(fault.answer !== null, 'nothing reaches the provider')
      return fault.answer(speaker)
    }
  world.say(modelA, fail('a'))
  if (isHopeless) world.say(modelB, fail('b'))

  const asked = requestOf(client, { model: name, isStream, outputTokensMax })
  const received = await send(app, person, asked)
  const id = received.headers.get('x-request-id')
  const explained = await eventually(() => app.api('GET', `/v1/requests/${id}`))
  const where = `${describeCase(one)}: ${received.status} ${received.text}`
  const same = (what: string, actual: unknown, expected: unknown): void =>
    assert(
      isDeepStrictEqual(actual, expected),
      `${what}: ${shown(actual)} and not ${shown(expected)}; ${where}`,
    )

  const { code, isSeen = false, isInItsWords = false, movesOn } = fault
  const isRescued = movesOn && !isHopeless
  /**
   * If the last target's answer is empty, the client receives this answer unchanged. A rejection by a content filter
   * counts as an answer.
   */
  const isEmpty = !isRescued && (code === null || fault.status === 200)
  const isOk = isRescued || isEmpty || isSeen
  const attempts: readonly Attempted[] = explained.attempts
  // On a busy machine, a deadline for the whole call may pass before a connection exists, or before the head arrives.
  const mayEndEarly = 'totalMs' in (fault.timeouts ?? {})
  const hasConnected = (at: number): boolean => !mayEndEarly || attempts[at]?.connectMs !== null
  const hasHead = (at: number): boolean => !mayEndEarly || attempts[at]?.firstByteMs !== null
  const reaches = (at: number): boolean => fault.answer !== null && hasConnected(at)
  same('calls of the first', world.callsOf(modelA), reaches(0) ? 1 : 0)
  same('calls of the second', world.callsOf(modelB), movesOn && (reaches(1) || !isHopeless) ? 1 : 0)

  same('status', received.status, isOk ? 200 : fault.status)
  const read: Read =
    isStream && received.status === 200 ? readStream(client, received.text) : readWhole(client, received.text)
  same('voice', read.text, isRescued ? voices.b.text : isSeen ? seen : '')
  same('whole', read.isWhole, isRescued || isEmpty)
  same('an error', read.error !== null && read.error.message !== '', !isRescued && !isEmpty)
  if (read.error !== null && !isInItsWords) same('code', read.error.code, code)
  if (!isRescued && !isEmpty) same('recorded code', explained.errorCode, code)
  if (!isOk && fault.retryAfter !== undefined)
    same('retry-after', received.headers.get('retry-after'), fault.retryAfter)
  same('names seen', namesIn(world, received, isInItsWords && !isRescued), [])

  const { first, second } = one
  const targetA = `${labelOf('a', first, fault.account)}/${modelA}`
  const targetB = `${labelOf('b', second, isHopeless ? fault.account : undefined)}/${modelB}`
  const tried = movesOn ? [targetA, targetB] : [targetA]
  same(
    'attempts',
    attempts.map(({ target, code: met }) => [target, met]),
    tried.map((target, i) => [target, (isRescued || isEmpty) && i === tried.length - 1 ? null : code]),
  )

  const called: readonly Side[] = movesOn ? ['a', 'b'] : ['a']
  const last = called.at(-1) ?? 'a'
  /** Null if the client received no data. */
  const used = isRescued
    ? voices.b.told
    : isEmpty
      ? toldOfRefusal(voices[last].told)
      : isSeen
        ? seenUsage(spoken.a)
        : null
  let costs = used === null ? 0n : costMicros(rates[last], used)
  for (const side of used === null ? called : called.slice(0, -1)) {
    const speaker = spoken[side]
    const told = speaker && hasHead(called.indexOf(side)) ? fault.spent?.(speaker) : null
    const spent = told === 'input' ? { input: explained.quote.inputTokensEstimated, output: 0 } : told
    if (spent) costs += costMicros(rates[side], spent)
  }
  const charge = used === null ? 0n : costMicros(person.bundle === 'sold' ? sellRates : rates[last], used)
  const { settle } = explained
  same('settled', settle !== null, used !== null)
  same(
    'charge, billed, cost, over the hold',
    settle === null
      ? [explained.chargeMicros, explained.billedMicros, explained.costMicros, '0']
      : [settle.chargeMicros, settle.billedMicros, settle.costMicros, settle.overHoldMicros],
    [charge, charge, costs, 0n].map(String),
  )
  const worst = { input: explained.quote.textTokensMax, output: outputTokensMax }
  const heldFor = person.bundle === 'sold' ? sellRates : rates.b
  same('hold', explained.reserve.worstMicros, String(costMicros(heldFor, worst)))
  person.charged += charge
}

const seen = piecesOf(voices.a.text).slice(0, piecesSeen).join('')

function shown(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one))
}

/** An interrupted answer is charged for the input that its provider has reported, and for the visible output. */
function seenUsage(speaker: Speaker | undefined): Told {
  assert(speaker !== undefined)
  const { text, told, wire } = speaker
  const hasTold = wire === 'messages' || wire === 'generate'
  const output = countedOutput(piecesOf(text).slice(0, piecesSeen))
  return { input: hasTold ? told.input : countedTurn(usualText), output }
}

/** The provider's error message is one of the texts, unless the message is meant for the caller. */
function namesIn(
  { providers }: Pick<FaultWorld, 'providers'>,
  { headers, text }: Pick<Received, 'headers' | 'text'>,
  mayHaveWords = false,
): string[] {
  const all = [text, ...Array.from(headers, (header) => header.join(': '))].join('\n').toLowerCase()
  const { error, key, ...names } = marks
  const unwanted = [
    ...Object.values(names),
    // The search text includes the colon before the port, because the digits alone may appear in any time or ID.
    ...sides.map((side) => `:${providers[side].port}`),
    key.slice(0, 12),
    ...sides.map((side) => keyOf(side).slice(-8)),
    '"pa_',
    '127.0.0.1',
    '.invalid',
    ...(mayHaveWords ? [] : [error]),
  ]
  return unwanted.filter((one) => all.includes(one.toLowerCase()))
}

export async function assertWallet(app: FaultApplication, person: Person): Promise<void> {
  const balance = await settledBalance({
    async balance() {
      const { balance: now } = await app.api('GET', `/v1/end-users/${person.externalId}`)
      return { balanceMicros: BigInt(now.balanceUnits), reservedMicros: BigInt(now.reservedUnits) }
    },
    ledger: async () =>
      (await app.api('GET', `/v1/end-users/${person.externalId}/ledger?source=all&limit=200`)).data,
  })
  assert.equal(balance, person.granted - person.charged, `the wallet of ${person.externalId}`)
}

function describeCase({ client, fault, first, isHopeless, isStream, second }: Case): string {
  const how = `${client}, ${isStream ? 'streamed' : 'whole'}`
  return `${fault.name} (${how}, ${first} then ${second}${isHopeless ? ', both fail' : ''})`
}

/**
 * At most ten cases share an application, because a retry budget allows ten retries a minute. Ten cases run at a time.
 * Creates all routers before the calls, because a call is rejected if its configuration changes repeatedly.
 * @throws an error with the texts of all failed cases
 */
export async function playAll(world: FaultWorld, cases: readonly Case[]): Promise<void> {
  const failures: string[] = []
  for (let at = 0; at < cases.length; at += casesEach) {
    /* oxlint-disable no-await-in-loop -- ten at a time */
    const app = await world.newApplication()
    const people = [await app.person('basic'), await app.person('sold')] as const
    const prepared: Prepared[] = []
    for (const [i, one] of cases.slice(at, at + casesEach).entries())
      prepared.push(await prepare(app, people[i % 2 === 0 ? 0 : 1], one))
    const played = await Promise.allSettled(prepared.map((one) => play(world, app, one)))
    const said = played.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))
    failures.push(...said)
    if (said.length === 0) for (const person of people) await assertWallet(app, person)
    failures.push(...(await namesInPortal(world, app, people[0])))
    /* oxlint-enable no-await-in-loop */
  }
  assert.equal(failures.length, 0, `${failures.length} of ${cases.length} cases:\n${failures.join('\n')}`)
}

const casesEach = 10

async function namesInPortal(world: FaultWorld, app: FaultApplication, person: Person): Promise<string[]> {
  const link = await app.api('POST', '/v1/portal-sessions', { endUserId: person.externalId })
  const { hash, origin } = new URL(link.localUrl)
  const redeemed = await fetch(`${origin}/v1/portal-sessions/redeem`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token: hash.replace('#handoff=', '') }),
  })
  const [cookie = ''] = (redeemed.headers.get('set-cookie') ?? '').split(';')
  const found: string[] = []
  const look = async (url: string, headers: Record<string, string>): Promise<string> => {
    const response = await fetch(url, { headers })
    const text = await response.text()
    const names = namesIn(world, { headers: response.headers, text })
    if (!response.ok || names.length > 0) found.push(`${url}: ${response.status} ${shown(names)} ${text}`)
    return text
  }
  await look(`${app.gateway}/v1/models`, { authorization: `Bearer ${person.key}` })
  const list: { data: { id: string }[] } = JSON.parse(await look(`${origin}/v1/portal/requests`, { cookie }))
  if (list.data.length === 0) found.push(`${person.externalId} sees no calls of theirs`)
  await Promise.all(list.data.map(({ id }) => look(`${origin}/v1/portal/requests/${id}`, { cookie })))
  return found
}

export function canHappen({ of }: Fault, isStream: boolean): boolean {
  return of === undefined || (of === 'streams') === isStream
}
