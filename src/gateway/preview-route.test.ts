/**
 * Compares the plan of a call (`routers.plan`) with the real call, for generated applications. Model names resolve to
 * accounts through aliases and routers. The applications have conditions, limits, open circuits, different prices, low
 * balances, and providers that fail in every way. The expected result of a call is derived here from the plan and from
 * each provider's response.
 */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { Failure } from '#domain/errors.ts'
import type { Ledger, ReserveResult } from '#domain/ledger-interface.ts'
import type { Upstream, UpstreamRequest, UpstreamSink } from '#domain/provider-upstream-interface.ts'
import { admitOffer } from '#money/admit-hold-for-several-targets.ts'
import type { Hold } from '#money/decision-types.ts'
import { demandAt, worstCase } from '#money/worst-case.ts'
import { aWallet } from '#tests/fixtures/build-money-values.ts'
import { routedWorld, type Act, type RoutedWorld } from '#tests/support/generate-routing-configurations.ts'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import { Configuration } from './call/configuration-cache.ts'
import { reserve } from '#gateway/decide/reserve-or-wait-for-held-money.ts'
import type { ServedName } from '#gateway/call/targets-of-model-name.ts'
import { WaitingLine } from './call/calls-waiting-for-money.ts'
import { authenticated, openCall, parsed, type Call } from './call/call-state-types.ts'
import { gatewayLimits, type GatewayPorts } from '#gateway/call/dependencies-of-gateway.ts'
import type { Way } from '#gateway/call/routed-target-types.ts'
import { previewRoute } from './preview-route.ts'
import { tryTargets } from './relay/try-targets.ts'

const final: readonly Act[] = ['answers', 'says 400']
const nowMs = Date.UTC(2026, 10, 22, 12)
const runs = Number(process.env['FC_RUNS'] ?? 3_000)

interface Sent {
  readonly key: string
  /** Null if the request has no maximum output. */
  readonly toldTokens: number | null
}

/** A fake provider, which responds as `world.acts` specifies and reports all the usage that the hold covers. */
function upstreamOf(world: RoutedWorld, call: () => Call, sent: Sent[]): Upstream {
  return {
    cleaner: () => (text) => text,
    send(request, sink) {
      const body: { max_tokens?: number; max_completion_tokens?: number } = JSON.parse(
        Buffer.from(request.body).toString(),
      )
      const key = `${request.account.id} ${request.model}`
      const toldTokens = body.max_completion_tokens ?? body.max_tokens ?? null
      sent.push({ key, toldTokens })
      const { reserved } = call()
      assert(reserved, 'a call is reserved before it is sent')
      const { bound } = reserved.reservation
      const output = toldTokens === null ? bound.outputTokens : Math.min(toldTokens, bound.outputTokens)
      queueMicrotask(() => act(world.acts.get(key) ?? 'answers', request, sink, bound.textTokens, output))
      return { abort() {}, answering() {}, resume() {} }
    },
  }
}

function act(
  what: Act,
  { isStream }: UpstreamRequest,
  sink: UpstreamSink,
  input: number,
  output: number,
): void {
  const json = { contentType: 'application/json', retryAfterSeconds: null }
  const status = /^says (\d+)$/.exec(what)?.[1]
  if (what === 'resets')
    return sink.onFailure({ phase: 'reset', isTimeout: false, cause: new Error('reset') })
  const say = (text: string): void => {
    sink.onData(Buffer.from(text))
    sink.onEnd()
  }
  if (status !== undefined) {
    sink.onHead(Number(status), json)
    return say(JSON.stringify({ error: { message: 'no', type: 'error' } }))
  }
  if (what === 'is broken') {
    sink.onHead(200, json)
    return say('<html>')
  }
  const isEmpty = what === 'is empty'
  const completion = isEmpty ? 0 : output
  const usage = { prompt_tokens: input, completion_tokens: completion, total_tokens: input + completion }
  const content = isEmpty ? '' : 'word'
  const base = { id: 'c', created: 1, model: 'm' }
  if (!isStream) {
    sink.onHead(200, json)
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
    return say(JSON.stringify({ ...base, object: 'chat.completion', choices, usage }))
  }
  sink.onHead(200, { contentType: 'text/event-stream', retryAfterSeconds: null })
  const frame = (fields: object): string =>
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', ...fields })}\n\n`
  const delta = isEmpty ? '' : frame({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
  const end = frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  say(`${delta}${end}${frame({ choices: [], usage })}data: [DONE]\n\n`)
}

function ledgerOf({
  config,
  walletMicros,
}: RoutedWorld): Pick<Ledger, 'reserve' | 'redirect' | 'extend' | 'checkpoint'> {
  let held: Hold | null = null
  return {
    async reserve({ bound, callId, offers, quote }): Promise<ReserveResult> {
      const state = {
        nowMs,
        isFrozen: false,
        key: { revokedAtMs: null, expiresAtMs: null },
        run: null,
        sources: [aWallet(walletMicros)],
        limits: [],
      }
      const decision = admitOffer(state, offers ?? [{ covers: quote, quote, bound, mayClamp: true }], callId)
      if (decision.kind === 'refused') return { ...decision, runId: null, at: null, limits: [], plan: null }
      const { hold, isClamped, offer, outputTokensPerChoice } = decision
      held = hold
      const wallet = { posted: walletMicros, held: hold.worstMicros }
      return { kind: 'reserved', ...hold, isClamped, offer, outputTokensPerChoice, wallet, limits: [] }
    },
    async redirect({ outputTokens, quote, target }) {
      assert(held, `${config.slug} has a hold`)
      const bound = { ...held.bound, outputTokens }
      const { micros } = demandAt(worstCase(quote, bound), outputTokens)
      assert(
        micros <= held.worstMicros,
        `the hold of ${held.worstMicros} suffices for ${target.model}, which may cost ${micros}`,
      )
    },
    extend: async () => ({ kind: 'no_room' }),
    checkpoint() {},
  }
}

function callsOf(
  taken: readonly string[],
  world: RoutedWorld,
  { attempts: { attemptsMax, retriesPerTarget }, isSingle }: Pick<ServedName, 'attempts' | 'isSingle'>,
  isOpen: (key: string) => boolean,
): string[] {
  const calls: string[] = []
  for (const [at, key] of taken.entries()) {
    const what = world.acts.get(key)
    assert(what)
    const isRepeated = /^says (?:429|5\d\d)$/.test(what) && !isSingle && !isOpen(key)
    for (let tries = 0; tries <= (isRepeated ? retriesPerTarget : 0); tries++) {
      if (calls.length === attemptsMax) return calls
      calls.push(key)
      const isLast = at + 1 === taken.length
      if (final.includes(what) || (what === 'is empty' && (isLast || calls.length === attemptsMax)))
        return calls
    }
  }
  return calls
}

function responseOf(): ServerResponse {
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    headersSent: false,
    writableLength: 0,
    req: { headers: {} },
    writeHead: () => void (response.headersSent = true),
    write: () => true,
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only members that a response in progress uses
  return response as unknown as ServerResponse
}

function chanceFrom(seed: number): () => number {
  const random = randomFrom(seed)
  return () => random.next()
}

const count = { answered: 0, failed: 0, refused: 0, movedOn: 0, clamped: 0, tooDear: 0, skipped: 0 }

async function run(seed: number): Promise<void> {
  const random = randomFrom(seed)
  const world = routedWorld(random, nowMs)
  const { ask, config, targets } = world
  const chanceSeed = random.whole(0, 2 ** 31)
  let chance: () => number = () => 0
  const sent: Sent[] = []
  const calls: Call[] = []
  const ledger = ledgerOf(world)
  const ports = {
    ledger,
    upstream: upstreamOf(world, () => calls[0] ?? assert.fail('no call'), sent),
    clock: { nowMs: () => nowMs, monotonicMs: () => 0 },
    random: () => chance(),
    tokens: { count: async () => null },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    limits: { ...gatewayLimits, heldWaitMs: 0, dailyUse: { isShared: false, refreshMs: 1_000 } },
    warnOfCall() {},
    portalUrl: () => 'http://acme.portal.localhost:8080',
    isConsole: () => false,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all members that a call uses here
  } as unknown as GatewayPorts
  const configuration = new Configuration(
    {
      config: async () => config,
      configVersion: async () => config.version,
      dayUse: async () => ({ calls: 0, spentMicros: 0n, inFlight: [] }),
      key: async () => null,
      keysAmong: async () => new Set(),
      overdueInvoice: async () => null,
      means: async () => ({ isFrozen: false, micros: null, hasCredits: false }),
      applications: async () => [],
    },
    () => nowMs,
  )

  chance = chanceFrom(chanceSeed)
  const preview = await previewRoute({ ports, configuration, targets }, ask)

  const opened = openCall({
    id: '01',
    response: responseOf(),
    applicationId: 'app_1',
    route: {
      kind: 'answer',
      wire: 'chat',
      path: { model: null, isStream: false, isJsonArray: false },
      query: '',
    },
    ports,
    configuration,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller is known, so no key is looked up
    wrongKeys: null as unknown as Call['wrongKeys'],
    line: new WaitingLine(ports.limits.heldWait),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no daily limit is set, so it is not called
    dailyUse: null as unknown as Call['dailyUse'],
    sharedLimits: null as unknown as Call['sharedLimits'],
    background: null as unknown as Call['background'],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no batch is created, so it is not called
    batches: null as unknown as Call['batches'],
    targets,
  })
  calls.push(opened)
  const key = {
    keyId: 'key_1',
    lineId: 'key_1',
    isPortalLine: false,
    tags: [],
    applicationId: 'app_1',
    endUserId: ask.endUserId,
    mode: ask.mode,
    bundleId: ask.bundleId,
    revokedAtMs: null,
    expiresAtMs: null,
    isFrozen: false,
  }
  const text = byteTextOf(JSON.stringify({ ...ask.body, model: ask.name, stream: ask.isStream }))
  const request = wires.chat.parseRequest(text, opened.route.path)
  assert(!isFault(request))
  const asked = parsed(authenticated(opened, { config, key, keyHash: '' }), request)
  // After a rejection, the gateway decides again with the stored configuration and key.
  configuration.storedKey = async () => key
  chance = chanceFrom(chanceSeed)
  const call = await reserve(asked).catch((cause: unknown) => {
    if (cause instanceof Failure) return cause
    throw cause
  })

  if (preview instanceof Failure || preview.refusal !== null) {
    count.refused++
    const expected = preview instanceof Failure ? preview : preview.refusal
    assert(call instanceof Failure, 'what has no plan is refused')
    expect(call.code).toBe(expected?.code)
    return
  }
  if (call instanceof Failure) {
    count.refused++
    expect(call.code, 'what has a plan is refused for its money alone').toBe('insufficient_credit')
    return
  }
  const { order, ways } = call.routed
  const planned = preview.targets.map(({ accountId, model, path, skip }) => ({
    key: `${accountId} ${model}`,
    path,
    skip,
  }))
  const decided = order?.map(({ leaf, path, skip }) => ({ key: leaf.key, path, skip })) ?? planned
  expect(
    decided.map(({ skip, ...rest }) => ({ ...rest, skip: skip?.code === 'too_dear' ? null : skip })),
  ).toEqual(planned)
  const taken = decided.flatMap((target) => (target.skip === null ? target.key : []))
  expect(ways.map(({ plan }) => plan.key)).toEqual(taken)

  const { reservation } = call.reserved
  const dearest = preview.targets
    .filter((_, at) => decided[at]?.skip === null)
    .reduce((most, { worstMicros }) => (worstMicros !== null && worstMicros > most ? worstMicros : most), 0n)
  if (!reservation.isClamped) expect(reservation.worstMicros).toBeGreaterThanOrEqual(dearest)
  else expect(reservation.worstMicros).toBeLessThanOrEqual(world.walletMicros)

  chance = () => 0
  const isOpen = ({ plan: target }: Way): boolean =>
    targets.health.of(target, nowMs).circuit.kind !== 'closed'
  const open = new Set(ways.filter(isOpen).map((way) => way.plan.key))
  const end = await tryTargets(call)
  expect(sent.map((one) => one.key)).toEqual(
    callsOf(taken, world, call.routed.name, (target) => open.has(target)),
  )
  const { plan } = call.reserved
  expect(plan.key, 'the last one that was called').toBe(sent.at(-1)?.key)
  if (end.used !== null) {
    const { quote } = plan
    const rates = quote.basis === 'sell_price' ? quote.sell : quote.cost
    const { input, output } = end.used.usage
    const exact = BigInt(input) * (rates.input ?? 0n) + BigInt(output) * (rates.output ?? 0n)
    expect((exact + 999_999n) / 1_000_000n).toBeLessThanOrEqual(reservation.worstMicros)
  }
  expect(call.failed.length).toBeGreaterThanOrEqual(sent.length - 1)
  if (end.kind === 'answered') count.answered++
  else count.failed++
  if (new Set(sent.map((one) => one.key)).size > 1) count.movedOn++
  if (reservation.isClamped) count.clamped++
  if (decided.some(({ skip }) => skip?.code === 'too_dear')) count.tooDear++
  if (decided.some(({ skip }) => skip !== null)) count.skipped++
}

it(`in ${runs} random cases, a call does what its plan says`, async () => {
  const seed = seedOfRun()
  for (let n = 0; n < runs; n++) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      await run(seed + n)
    } catch (cause) {
      throw new Error(`with SEED=${seed + n} FC_RUNS=1`, { cause })
    }
  }
  if (runs < 1_000) return
  for (const [what, times] of Object.entries(count)) expect.soft(times, what).toBeGreaterThan(runs / 400)
})
