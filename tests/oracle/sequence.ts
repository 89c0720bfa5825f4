/** One person's random life at the real server, compared with the model. */
import { setTimeout as delay } from 'node:timers/promises'
import type { FakeCall } from '../support/fake-provider.ts'
import type { Random } from '../support/random.ts'
import { dayOf, type Groups, type Sums } from './books.ts'
import { Corrections, type Life, type Sent } from './corrections.ts'
import {
  priceOf,
  type Asked,
  type Bundle,
  type Hold,
  type Key,
  type Paid,
  type Refused,
  type Target,
  type Window,
} from './naive-kinds.ts'
import { clearAnInvoice, compareInvoices, planLinesOf } from './invoices.ts'
import { NaivePerson } from './naive-person.ts'
import {
  bare,
  bundles,
  deedOf,
  mayRefuse,
  names,
  portalTotal,
  promptOf,
  type Play,
  type World,
} from './world.ts'

/** A minute in all. */
const recordTriesMax = 600
const recordEveryMs = 100
const progressTriesMax = 30_000
const progressEveryMs = 2

/** A circuit opens after five failures in a row, or a fifth of at least twenty calls. */
const failuresToOpen = 4

/** Counts of the cases met: a run that never meets its hard cases proves nothing about them. */
export type Seen = Record<string, number>

/** A difference, with the steps that lead to it. */
class Difference extends Error {}

/** A key that works until it ends. */
interface KeyInUse extends Key {
  readonly id: string
  readonly secret: string
  endsAt: number
  /** Whether another has replaced it. */
  isReplaced: boolean
}

/** One call: its request, and the provider's answer. */
interface Turn {
  readonly asked: Omit<Asked, 'inputMax' | 'targets'> & { readonly key: KeyInUse }
  readonly play: Play
  /** Words behind it in the prompt. */
  readonly padding: number
}

/** The fields of explain in use. */
interface Story {
  readonly errorCode: string | null
  readonly chargeMicros: string
  readonly paidFromPlanMicros: string
  readonly paidFromGiftMicros: string
  readonly paidFromWalletMicros: string
  readonly onDemandMicros: string
  readonly overdraftMicros: string
  readonly quote: { readonly textTokensMax?: number; readonly bound?: { readonly textTokens: number } } | null
  readonly reserve: {
    readonly worstMicros: string
    readonly isClamped?: boolean
    readonly waitedMs?: number | null
  } | null
  readonly refusal: { readonly limitSource?: string; readonly waitedMs?: number | null } | null
  readonly usage: { readonly input: number; readonly output: number; readonly tokenSource: string } | null
  readonly route: { readonly candidates?: readonly Candidate[] | null } | null
  readonly attempts: readonly { readonly target: string; readonly costMicros?: string | null }[]
  readonly settle: {
    readonly chargeMicros: string
    readonly billedMicros: string
    readonly costMicros: string
    readonly overHoldMicros: string
    readonly legs: readonly {
      readonly kind: string
      readonly amount: string
      readonly unit: string
      readonly micros: string
    }[]
  } | null
}

interface Candidate {
  readonly model: string
  readonly skipCode?: string | null
  /** The reason, in words. */
  readonly skipped?: string | null
}

interface RunShown {
  readonly id: string
  readonly endUserId: string
  readonly status: string
  readonly spentMicros: string
  readonly calls: number
}

interface Answered {
  readonly status: number
  readonly requestId: string
  /** What the provider was asked for it, in order. */
  readonly askedFor: readonly FakeCall[]
}

export class Sequence {
  readonly #world: World
  readonly #random: Random
  readonly #seen: Seen
  readonly #nowMs: () => number
  readonly #externalId: string
  readonly #history: string[] = []
  readonly #keys: KeyInUse[] = []
  #person: NaivePerson | null = null
  readonly #life: Life
  readonly #corrections: Corrections
  #runs = 0
  #calls = 0

  constructor(world: World, random: Random, seen: Seen, nowMs: () => number, externalId: string) {
    this.#world = world
    this.#random = random
    this.#seen = seen
    this.#nowMs = nowMs
    this.#externalId = externalId
    const modelOf = (): NaivePerson => this.#model
    this.#life = {
      world,
      random,
      externalId,
      nowMs,
      get model() {
        return modelOf()
      },
      note: (text) => void this.#history.push(text),
      count: (what) => this.#count(what),
      same: (what, actual, expected) => this.#same(what, actual, expected, null),
    }
    this.#corrections = new Corrections(this.#life)
  }

  async begin(): Promise<void> {
    const bundle = this.#random.pick(bundles)
    const minted = await this.#world.api('POST', '/v1/keys', {
      endUserId: this.#externalId,
      bundle: bundle.slug,
    })
    this.#addKey(minted, { line: minted.id, isOfPortal: false, cap: null })
    this.#person = new NaivePerson(names, bundle, this.#nowMs(), portalTotal)
    await this.#mintInPortal()
    this.#history.push(`on ${bundle.slug}`)
    await this.#grant()
  }

  /** Some steps at one instant, then a comparison of everything. */
  async round(steps: number): Promise<void> {
    this.#history.push(`at ${new Date(this.#nowMs()).toISOString()}`)
    // Stands for the pass that runs every hour: the clock of the test moves over many of them at once.
    await this.#world.api('GET', `/v1/subscription?endUserId=${this.#externalId}`)
    for (let step = 0; step < steps; step++) {
      // oxlint-disable-next-line no-await-in-loop -- a life is one thing after the other
      await this.#step()
    }
    await this.compare()
  }

  #step(): Promise<void> {
    const random = this.#random
    const dice = random.next()
    if (dice < 0.55) return this.#call(this.#play())
    if (dice < 0.64) return this.#pair()
    if (dice < 0.72) return this.#grant()
    if (dice < 0.78) return this.#corrections.step()
    if (dice < 0.82) return clearAnInvoice(this.#life)
    if (dice < 0.88) return this.#subscribe()
    if (dice < 0.92) return this.#setOnDemand()
    if (dice < 0.94) return this.#setCap()
    if (dice < 0.96) return this.#setLimits()
    if (dice < 0.98) return this.#rotate()
    if (dice < 0.99) return this.#replaceInPortal()
    return this.#frozenCall()
  }

  get #model(): NaivePerson {
    if (!this.#person) throw new Error('begin first')
    return this.#person
  }

  #play(): Turn {
    const random = this.#random
    const isStream = random.chance(0.5)
    const outputMax = random.chance(0.8) ? random.whole(1, 400) : null
    const isLong = isStream && outputMax === null && random.chance(0.7)
    const model = random.pick([...names.keys()])
    const targets = names.get(model)?.targets ?? []
    const most = outputMax ?? 300
    const output = isLong
      ? random.whole(1500, 5000)
      : random.chance(0.12)
        ? most + random.whole(1, 900)
        : random.whole(0, most)
    let run: string | null = null
    if (random.chance(0.25))
      run = `${this.#externalId}-${random.whole(1, 2) + 2 * Math.floor(this.#runs++ / 8)}`
    const failing = targets.length > 1 ? targets.filter(() => random.chance(0.2)) : []
    const refusing = failing.filter(() => mayRefuse(model) && random.chance(0.7))
    const namesOf = (some: readonly Target[]): string => some.map((target) => target.model).join(',')
    return {
      asked: { key: random.pick(this.#usable), model, outputMax, isStream, run },
      play: {
        input: random.chance(0.06) ? random.whole(400, 1500) : random.whole(1, 90),
        output,
        chunks: isLong ? Math.ceil(output / 40) : 3,
        bytes: isLong ? 150 : 4,
        waits: false,
        fails: random.chance(0.03),
        refusing: namesOf(refusing),
        empty: namesOf(failing.filter((target) => !refusing.includes(target))),
        name: `${this.#externalId}/${++this.#calls}`,
      },
      padding: random.whole(0, 12),
    }
  }

  async #send(what: Turn): Promise<Answered> {
    const { asked, padding, play } = what
    const from = this.#world.provider.calls.length
    const response = await fetch(`${this.#world.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${asked.key.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: asked.model,
        messages: [{ role: 'user', content: promptOf(play, padding) }],
        ...(asked.outputMax === null ? {} : { max_tokens: asked.outputMax }),
        ...(asked.isStream ? { stream: true } : {}),
        ...(asked.run === null ? {} : { svc: { outcome: this.#world.outcome, outcome_id: asked.run } }),
      }),
    })
    await response.arrayBuffer()
    return {
      status: response.status,
      requestId: response.headers.get('x-request-id') ?? '',
      askedFor: this.#askedFor(what, from),
    }
  }

  /** The provider's calls for one of ours, of those after so many. */
  #askedFor({ padding, play }: Turn, from: number): FakeCall[] {
    const prompt = JSON.stringify(promptOf(play, padding))
    return this.#world.provider.calls.slice(from).filter(({ text }) => text.includes(prompt))
  }

  async #call(what: Turn): Promise<void> {
    const answered = await this.#send(what)
    const story = await this.#story(answered.requestId)
    this.#note('call', what, answered, story)
    this.#judge(
      what,
      answered,
      story,
      this.#model.reserve(askedOf(what, story), this.#nowMs(), this.#world.ceiling),
    )
  }

  /** A call while another is in flight: it has what that one leaves, or waits for its end. */
  #pair(): Promise<void> {
    // The provider releases all waiting calls: only one pair waits at a time.
    return this.#world.alone(() => this.#pairAlone())
  }

  async #pairAlone(): Promise<void> {
    const first = this.#play()
    const slow = {
      ...first,
      play: {
        ...first.play,
        waits: true,
        fails: false,
        refusing: '',
        empty: '',
        chunks: 3,
        bytes: 4,
        output: first.play.output % 300,
      },
    }
    const from = this.#world.provider.calls.length
    const pending = this.#send(slow)
    if ((await this.#progressOf(pending, slow, from)) !== 'arrived') {
      const answered = await pending
      const story = await this.#story(answered.requestId)
      this.#note('refused first', slow, answered, story)
      this.#judge(
        slow,
        answered,
        story,
        this.#model.reserve(askedOf(slow, story), this.#nowMs(), this.#world.ceiling),
      )
      return
    }
    // The hold's own numbers are in explain while the call is in flight; who else might have answered is not.
    const [row] = (await this.#world.api('GET', `/v1/requests?endUserId=${this.#externalId}&limit=1`)).data
    const inFlight = await this.#story(row.id)

    const sent: Sent = this.#random.chance(0.3) ? await this.#corrections.beside() : () => {}
    const second = this.#play()
    const probe = this.#send(second)
    const isBeside = (await this.#progressOf(probe, second, from)) !== 'waiting'
    if (isBeside) await probe
    this.#world.provider.release()
    const [firstAnswered, secondAnswered] = await Promise.all([pending, probe])
    const [ended, story] = await Promise.all([
      this.#story(firstAnswered.requestId),
      this.#story(secondAnswered.requestId),
    ])
    this.#count(isBeside ? 'beside' : 'waited')
    this.#note('first of two', slow, firstAnswered, ended)
    this.#note(isBeside ? 'second, beside the first' : 'second, after a wait', second, secondAnswered, story)
    this.#same('the call in flight', row.id, firstAnswered.requestId, slow)
    const hasWaited = typeof (story.reserve ?? story.refusal)?.waitedMs === 'number'
    this.#same('whether the second waits', hasWaited, !isBeside, second)

    const now = this.#nowMs()
    const firstHold = this.#model.reserve(askedOf(slow, ended), now, this.#world.ceiling)
    if (isRefused(firstHold)) return this.#differ('the first of two was let in', slow, firstHold)
    this.#same('hold of a call in flight', inFlight.reserve?.worstMicros, String(firstHold.micros), slow)
    this.#compareCovered(slow, firstAnswered, inFlight, firstHold)
    sent()
    if (!isBeside) this.#judge(slow, firstAnswered, ended, firstHold)
    const expected = this.#model.reserve(askedOf(second, story), now, this.#world.ceiling)
    this.#judge(second, secondAnswered, story, expected)
    if (isBeside) this.#judge(slow, firstAnswered, ended, firstHold)
  }

  /** How a call goes on: it reaches the provider, or is answered before that, or waits for another one to end. */
  async #progressOf(
    call: Promise<unknown>,
    what: Turn,
    from: number,
  ): Promise<'arrived' | 'answered' | 'waiting'> {
    let isAnswered = false
    void call.then(
      () => (isAnswered = true),
      () => (isAnswered = true),
    )
    for (let tries = 0; tries < progressTriesMax; tries++) {
      if (this.#askedFor(what, from).length > 0) return 'arrived'
      if (isAnswered) return 'answered'
      // Only the second of a pair has a call in flight to wait for, and there is one pair at a time.
      if (this.#world.callsWaiting > 0) return 'waiting'
      // oxlint-disable-next-line no-await-in-loop -- the provider tells nobody in particular
      await delay(progressEveryMs)
    }
    return this.#differ('a call goes on', what, null)
  }

  async #frozenCall(): Promise<void> {
    await this.#world.api('POST', `/v1/end-users/${this.#externalId}/freeze`)
    this.#model.isFrozen = true
    await this.#call(this.#play())
    await this.#world.api('POST', `/v1/end-users/${this.#externalId}/unfreeze`)
    this.#model.isFrozen = false
  }

  /** A gift for ever, or one that ends, now or later. */
  async #grant(): Promise<void> {
    const random = this.#random
    const amount = BigInt(random.whole(1, 2500))
    const hourMs = 3_600_000
    const starts = random.chance(0.7) ? null : this.#nowMs() + random.whole(1, 400) * hourMs
    const expires = random.chance(0.6) ? null : (starts ?? this.#nowMs()) + random.whole(1, 900) * hourMs
    const { id } = await this.#world.api('POST', '/v1/grants', {
      endUsers: [this.#externalId],
      amountUnits: String(amount),
      reason: 'oracle',
      ...(expires === null ? {} : { expiresAt: new Date(expires).toISOString() }),
      ...(expires === null || starts === null ? {} : { startsAt: new Date(starts).toISOString() }),
    })
    if (expires === null) this.#model.give(id, amount)
    else this.#model.giveUntil(id, amount, starts ?? this.#nowMs(), expires)
    if (expires !== null) this.#count('credit that expires')
    this.#corrections.addGrant(id)
    this.#history.push(`grant ${id} ${amount} from ${starts} until ${expires}`)
  }

  async #subscribe(): Promise<void> {
    await this.#subscribeTo(this.#random.pick(bundles))
  }

  async #subscribeTo(bundle: Bundle): Promise<void> {
    await this.#world.api('PUT', `/v1/end-users/${this.#externalId}/subscription`, { bundle: bundle.slug })
    if (bundle.slug !== this.#model.bundle.slug) this.#count('moved')
    this.#model.subscribe(bundle, this.#nowMs())
    this.#history.push(`subscribe ${bundle.slug}`)
  }

  async #setOnDemand(): Promise<void> {
    const isOn = this.#random.chance(0.7)
    const limit = this.#random.chance(0.8) ? BigInt(this.#random.whole(0, 2500)) : null
    await this.#world.api('POST', '/v1/subscription/on-demand', {
      endUserId: this.#externalId,
      enabled: isOn,
      limitMicros: limit === null ? null : String(limit),
    })
    this.#model.onDemand = { isOn, limit }
    this.#history.push(`on-demand ${isOn} ${limit}`)
  }

  async #setCap(): Promise<void> {
    const cap = this.#random.chance(0.6) ? BigInt(this.#random.whole(0, 8000)) : null
    await this.#capTo(this.#random.pick(this.#usable), cap)
  }

  async #capTo(key: KeyInUse, cap: bigint | null): Promise<void> {
    await this.#world.api('POST', `/v1/keys/${key.id}/cap`, {
      capMicros: cap === null ? null : String(cap),
      capPeriod: 'month',
    })
    key.cap = cap
    this.#history.push(`cap ${cap} of ${key.id} in line ${key.line}`)
  }

  get #usable(): KeyInUse[] {
    const now = this.#nowMs()
    return this.#keys.filter(({ endsAt }) => endsAt > now)
  }

  #addKey(minted: { readonly id: string; readonly key: string }, key: Key): KeyInUse {
    const added = {
      ...key,
      id: minted.id,
      secret: minted.key,
      endsAt: Number.POSITIVE_INFINITY,
      isReplaced: false,
    }
    this.#keys.push(added)
    return added
  }

  /** The cap of a key goes on in its successor; the old key works for a day, or ends now. */
  async #rotate(): Promise<void> {
    const old = this.#random.pick(this.#usable.filter(({ isReplaced }) => !isReplaced))
    const graceSeconds = this.#random.chance(0.6) ? 86_400 : 0
    const minted = this.#random.chance(0.5)
      ? await this.#inPortal('POST', `/v1/portal/keys/${old.id}/rotate`, { graceSeconds })
      : await this.#world.api('POST', `/v1/keys/${old.id}/rotate`, { graceSeconds })
    old.isReplaced = true
    old.endsAt = this.#nowMs() + graceSeconds * 1_000
    this.#addKey(minted, { line: old.line, isOfPortal: old.isOfPortal, cap: old.cap })
    this.#count('rotated')
    this.#history.push(`rotate ${old.id} to ${minted.id}, ${graceSeconds} s`)
  }

  /** Another key from the portal, with any cap: the team sets it. */
  async #mintInPortal(): Promise<void> {
    const minted = await this.#inPortal('POST', '/v1/portal/keys', { capMicros: '0' })
    const key = this.#addKey(minted, { line: minted.id, isOfPortal: true, cap: 0n })
    await this.#capTo(key, this.#random.chance(0.5) ? null : BigInt(this.#random.whole(0, 8000)))
  }

  /** Signed in anew each time: a session ends within a day, and the clock moves by more. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
  #inPortal(method: string, path: string, body?: unknown): Promise<any> {
    return this.#world.asEndUser(this.#externalId, method, path, body)
  }

  async #replaceInPortal(): Promise<void> {
    for (const key of this.#usable) {
      if (!key.isOfPortal) continue
      // oxlint-disable-next-line no-await-in-loop -- two at most
      await this.#inPortal('DELETE', `/v1/portal/keys/${key.id}`)
      key.endsAt = this.#nowMs()
      this.#history.push(`revoke ${key.id}`)
    }
    await this.#mintInPortal()
    this.#count('replaced in the portal')
  }

  async #setLimits(): Promise<void> {
    const windows: readonly Window[] = ['day', 'week', 'month', 'total']
    const limits = new Map(
      windows
        .filter(() => this.#random.chance(0.2))
        .map((window) => [window, BigInt(this.#random.whole(0, 12_000))] as const),
    )
    await this.#world.api('PUT', `/v1/end-users/${this.#externalId}/limit`, {
      limits: [...limits].map(([window, most]) => ({ measure: 'micros', window, most: String(most) })),
    })
    this.#model.limits = limits
    this.#history.push(`limits ${[...limits].join(' ')}`)
  }

  /** Compares one call's answer and explain with the model, and settles it there. */
  #judge(what: Turn, answered: Answered, story: Story, expected: Hold | Refused): void {
    const { asked, play } = what
    const now = this.#nowMs()
    this.#compareCircuits(what, story)
    if (isRefused(expected)) {
      this.#same('requests to the provider for a call without a hold', answered.askedFor.length, 0, what)
      this.#count(`refused: ${expected.code}`)
      this.#same(
        'status',
        answered.status,
        expected.code === 'end_user_frozen' ? 403 : expected.isHeld ? 429 : 402,
        { ...what, ...expected, textTokens: story.quote?.textTokensMax },
      )
      this.#same('code', story.errorCode, expected.code, what)
      if (expected.limit !== null) this.#count(`refused by: ${expected.limit}`)
      if (expected.limit !== null && expected.code !== 'end_user_frozen')
        this.#same('limit source', story.refusal?.limitSource, expected.limit, what)
      return
    }
    this.#compareTaken(what, story, expected)
    this.#compareCovered(what, answered, story, expected)
    const { answers, cost } = this.#attempts(what, answered, story, expected)
    if (answers === null) {
      this.#count('failed')
      this.#same('charge of a failure', story.chargeMicros, '0', what)
      this.#books(what, expected, { cost })
      this.#model.release(expected)
      return
    }
    const { reserve, settle, usage } = story
    if (answered.status !== 200 || !reserve || !settle || !usage)
      return this.#differ('the call was to be let in, answered and settled', what, { ...expected, legs: [] })
    const isExtendable = asked.isStream && asked.outputMax === null && !expected.isClamped
    const held = answers === expected.taken[0] ? expected : this.#model.redirect(expected, answers)
    const final = this.#extended(held, reserve, isExtendable, what)
    this.#same('clamped', reserve.isClamped ?? false, expected.isClamped, what)
    const reported = deedOf(play, answers.model) === 'is empty' ? { ...play, output: 0 } : play
    const used =
      usage.tokenSource === 'provider_reported' ? reported : { input: usage.input, output: usage.output }
    if (usage.tokenSource !== 'provider_reported') {
      // Cut for spend: only then is the provider's usage absent.
      this.#count('cut')
      this.#same('only spend cuts', story.errorCode, 'spend_limit_exceeded', what)
    }
    const settled = this.#model.settle(final, { input: used.input, output: used.output }, now, cost)
    if (expected.isClamped) this.#count('clamped')
    if (settled.overHold > 0n) this.#count('over hold')
    if (settled.legs.length > 1) this.#count('several sources')
    if (asked.run !== null) this.#count('in a run')
    this.#same('charge', settle.chargeMicros, String(settled.charge), what)
    this.#same('billed', settle.billedMicros, String(settled.billed), what)
    this.#same('cost', settle.costMicros, String(settled.cost), what)
    this.#same('over hold', settle.overHoldMicros, String(settled.overHold), what)
    this.#same(
      'who paid',
      paidText(
        story.paidFromPlanMicros,
        story.paidFromGiftMicros,
        story.paidFromWalletMicros,
        story.onDemandMicros,
        story.overdraftMicros,
      ),
      paidText(...paidInOrder(settled.paid)),
      what,
    )
    if (settled.paid.gift > 0n && settled.paid.wallet > 0n) this.#count('gift and paid money')
    if (settled.paid.overdraft > 0n) this.#count('overdraft')
    const { billed, charge, overHold, paid } = settled
    const change = { calls: 1n, cost: settled.cost, billed, charge, overHold, ...paid }
    const groups = this.#books(what, expected, change)
    const { parts } = settled
    const { requestId } = answered
    this.#corrections.addCall({ requestId, parts, charge, billed, groups, refunded: 0n, refundedBilled: 0n })
    this.#same(
      'legs',
      settle.legs.map((leg) => `${leg.kind} ${leg.amount} ${leg.unit} for ${leg.micros}`).join('; '),
      settled.legs.map((leg) => `${leg.kind} ${leg.amount} ${leg.unit} for ${leg.micros}`).join('; '),
      what,
    )
  }

  /** The books of the application have the call under everything that it can be grouped by. */
  #books({ asked }: Turn, { bundle }: Hold, change: Partial<Sums>): Groups {
    const groups = {
      endUser: this.#externalId,
      model: asked.model,
      bundle: bundle.slug,
      provider: 'main',
      key: asked.key.id,
      day: dayOf(this.#nowMs()),
      // By run, the report has charged calls only: the cost of the others is in the row without a run.
      run: asked.run === null || change.calls === undefined ? 'none' : `${this.#world.outcome}/${asked.run}`,
    }
    this.#world.books.add(groups, change)
    return groups
  }

  /** The targets that the hold was made for: those of the others that were left out are too dear, and nothing else. */
  #compareTaken(what: Turn, { route }: Story, { asked, taken }: Hold): void {
    const modelsOf = (some: readonly { readonly model: string }[]): string =>
      some.map(({ model }) => model).join(' ')
    const candidates = route?.candidates ?? null
    if (candidates === null)
      return this.#same('targets of a name with one', modelsOf(taken), modelsOf(asked.targets), what)
    this.#same(
      'targets taken',
      modelsOf(
        candidates.filter((candidate) => (candidate.skipCode ?? null) === null || isPassed(candidate)),
      ),
      modelsOf(taken),
      what,
    )
    if (taken.length < asked.targets.length) this.#count('too dear')
  }

  /**
   * Whatever the order says: whoever was asked, and for an answer as long as it was told, the hold suffices for it.
   * Those that stream without a maximum are told none; their hold grows with the answer.
   */
  #compareCovered(what: Turn, { askedFor }: Answered, { reserve }: Story, hold: Hold): void {
    const held = BigInt(reserve?.worstMicros ?? 0)
    for (const { body } of askedFor) {
      const target = hold.asked.targets.find(({ model }) => model === body?.model)
      if (!target) return this.#differ('the provider is asked as a target that may answer', what, body?.model)
      const output = body?.max_tokens ?? hold.output
      const worst = this.#model.worstAt(hold, target, output)
      if (worst > held)
        this.#differ(`${target.model} is called with ${held} held, and may cost ${worst}`, what, { output })
    }
  }

  /** A target is left out for its circuit only if it has failed. */
  #compareCircuits(what: Turn, { route }: Story): void {
    for (const { model, skipCode } of route?.candidates ?? []) {
      if (skipCode !== 'circuit_open') continue
      this.#count('circuit open')
      if (this.#world.failuresOf(model) < failuresToOpen)
        this.#differ(`the circuit of ${model} is closed: it has hardly failed`, what, null)
    }
  }

  /** Who answers, and what those before it cost; null: nobody does. */
  #attempts(
    { play }: Turn,
    { askedFor }: Answered,
    { attempts, route }: Story,
    hold: Hold,
  ): { readonly answers: Target | null; readonly cost: bigint } {
    const passed = new Set((route?.candidates ?? []).filter(isPassed).map(({ model }) => model))
    if (passed.size > 0) this.#count('passed over')
    const taken = hold.taken.filter(({ model }) => !passed.has(model))
    // An answer without a word is passed on where nobody is left to give another.
    const answersAt = taken.findIndex((target, at) => {
      const deed = deedOf(play, target.model)
      return deed === 'answers' || (deed === 'is empty' && at + 1 === taken.length)
    })
    // The retry budget may have ended a call that could have moved on.
    const isOut = attempts.length < (answersAt === -1 ? taken.length : answersAt + 1)
    if (isOut) this.#count('out of retries')
    const failed = taken.slice(0, isOut ? attempts.length : answersAt === -1 ? taken.length : answersAt)
    const costs = failed.map((target) =>
      deedOf(play, target.model) === 'is empty' ? priceOf(target.cost, { input: play.input, output: 0 }) : 0n,
    )
    const answers = isOut ? null : (taken[answersAt] ?? null)
    const called = [...failed, ...(answers === null ? [] : [answers])]
    const shown = attempts.map(
      ({ costMicros, target }, at) => `${target} ${at < failed.length ? (costMicros ?? '0') : ''}`,
    )
    const expected = called.map(({ model }, at) => `main/${model} ${costs[at] ?? ''}`)
    this.#same('attempts', shown.join(', '), expected.join(', '), play)
    this.#same(
      'who was asked',
      askedFor.map(({ body }) => body?.model).join(', '),
      called.map(({ model }) => model).join(', '),
      play,
    )
    if (failed.length > 0 && answers !== null) this.#count('moved on')
    const cost = costs.reduce((sum, one) => sum + one, 0n)
    if (cost > 0n) this.#count('a failure that cost')
    return { answers, cost }
  }

  /** A stream without a maximum may have been extended: as much as its own numbers explain. */
  #extended(hold: Hold, reserve: { readonly worstMicros: string }, isExtendable: boolean, what: Turn): Hold {
    const worst = BigInt(reserve.worstMicros)
    if (worst === hold.micros) return hold
    if (!isExtendable) this.#same('hold', String(worst), String(hold.micros), what)
    this.#count('extended')
    const longer = this.#model.extendTo(hold, worst)
    if (longer === null) this.#differ('an extension that fits', what, { worst, hold: hold.micros })
    return longer ?? hold
  }

  async compare(): Promise<void> {
    const now = this.#nowMs()
    const model = this.#model
    model.open(now)
    const [user, subscription, usage] = await Promise.all([
      this.#world.api('GET', `/v1/end-users/${this.#externalId}`),
      this.#world.api('GET', `/v1/subscription?endUserId=${this.#externalId}`),
      this.#world.api('GET', `/v1/usage?endUserId=${this.#externalId}`),
    ])
    const what = null
    this.#same('balance', user.balance.balanceUnits, String(model.balance(now)), what)
    const credit: { grantId: string; remainingMicros: string }[] = user.balance.expiringCredit
    this.#same(
      'credit that expires',
      poolsText(new Map(credit.map(({ grantId, remainingMicros }) => [grantId, BigInt(remainingMicros)]))),
      poolsText(model.creditLeft(now)),
      what,
    )
    this.#same('held', user.balance.reservedUnits, '0', what)
    this.#same('on-demand spent', subscription.onDemandSpentMicros, String(model.onDemandSpent(now)), what)
    const left = new Map<string, bigint>()
    for (const pool of subscription.pools)
      left.set(pool.slug, (left.get(pool.slug) ?? 0n) + BigInt(pool.granted) - BigInt(pool.consumed))
    this.#same('pools', poolsText(left), poolsText(model.pools(now)), what)
    this.#same('usage calls', usage.totals.calls, model.usage.calls, what)
    this.#same('usage billed', usage.totals.billedMicros, String(model.usage.billed), what)
    this.#same('usage input', usage.totals.inputTokens, model.usage.input, what)
    this.#same('usage output', usage.totals.outputTokens, model.usage.output, what)
    await compareInvoices(this.#life)
    const { data } = await this.#world.api('GET', `/v1/keys?endUserId=${this.#externalId}&limit=200`)
    for (const { id, line } of this.#keys) {
      const spent = model.spentIn(now, 'month', (key) => key.line === line)
      const shown = data.find((key: { id: string }) => key.id === id)
      this.#same(`spent of the line of ${id}`, shown?.spentMicros, String(spent), what)
    }
  }

  /** Every entry adds to the one before of its source; every run has the spend and count of its calls. */
  async end(): Promise<void> {
    // No plan renews after the end.
    await this.#subscribeTo(bare)
    await this.compare()
    this.#world.planLines.push(...(await planLinesOf(this.#life)))
    const entries: { source: string; amountUnits: string; balanceAfterUnits: string }[] = []
    let cursor: string | null = null
    do {
      // oxlint-disable-next-line no-await-in-loop -- each page names the next
      const page: { data: typeof entries; nextCursor: string | null } = await this.#world.api(
        'GET',
        `/v1/end-users/${this.#externalId}/ledger?source=all&limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      entries.push(...page.data)
      cursor = page.nextCursor
    } while (cursor !== null)
    const sums = new Map<string, bigint>()
    for (const entry of entries.toReversed()) {
      const sum = (sums.get(entry.source) ?? 0n) + BigInt(entry.amountUnits)
      this.#same(`chain of ${entry.source}`, entry.balanceAfterUnits, String(sum), entry)
      sums.set(entry.source, sum)
    }
    this.#same('all entries of the wallet', sums.get('wallet') ?? 0n, this.#model.walletPosted, null)
    const runs = await this.#runsOfPerson()
    for (const [id, run] of this.#model.runs) {
      const shown = runs.find((each) => each.id === id)
      this.#same(`spent of run ${id}`, shown?.spentMicros, String(run.spent), null)
      this.#same(`calls of run ${id}`, shown?.calls, run.calls, null)
      this.#same(
        `status of run ${id}`,
        shown?.status,
        run.cappedAt === null || run.cappedAt < this.#world.ceiling ? 'running' : 'capped',
        null,
      )
    }
    this.#same('runs', runs.length, this.#model.runs.size, null)
  }

  async #runsOfPerson(): Promise<RunShown[]> {
    const { data }: { data: RunShown[] } = await this.#world.api(
      'GET',
      `/v1/outcomes/${this.#world.outcome}/runs?limit=200&endUserId=${this.#externalId}`,
    )
    return data
  }

  /** The record of a refused call may come after its answer where a busy machine delays the store. */
  async #story(requestId: string): Promise<Story> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#world.api('GET', `/v1/requests/${requestId}`)
      } catch (error) {
        if (tries === recordTriesMax || !String(error).includes(': 404 ')) throw error
        // oxlint-disable-next-line no-await-in-loop -- the next look needs time to pass
        await delay(recordEveryMs)
      }
    }
  }

  #note(kind: string, what: Turn, answered: Answered, story: Story): void {
    const { asked, play } = what
    this.#history.push(
      `${kind} ${answered.requestId}: ${JSON.stringify({ ...asked, key: asked.key.id })} ${JSON.stringify(play)} -> ${answered.status} ${story.errorCode ?? ''}, held ${story.reserve?.worstMicros}, charged ${story.chargeMicros}`,
    )
  }

  #count(what: string): void {
    this.#seen[what] = (this.#seen[what] ?? 0) + 1
  }

  #same(what: string, actual: unknown, expected: unknown, about: unknown): void {
    if (actual !== expected)
      this.#differ(`${what}: it is ${String(actual)}, and must be ${String(expected)}`, about, null)
  }

  #differ(what: string, about: unknown, more: unknown): never {
    const show = (value: unknown): string =>
      JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each)) ?? ''
    throw new Difference(
      `${this.#externalId}: ${what}\nabout ${show(about)} ${show(more)}\nafter\n  ${this.#history.slice(-60).join('\n  ')}`,
    )
  }
}

function askedOf({ asked }: Turn, story: Story): Asked {
  const targets = names.get(asked.model)?.targets ?? []
  // When a circuit opens, and closes, depends on what other lives do meanwhile: its word is taken for it.
  const isOut = (model: string): boolean => {
    const candidate = story.route?.candidates?.find((each) => each.model === model)
    if (candidate === undefined || isPassed(candidate)) return false
    return (candidate.skipCode ?? null) !== null && candidate.skipCode !== 'too_dear'
  }
  return {
    ...asked,
    targets: targets.filter(({ model }) => !isOut(model)),
    inputMax: story.quote?.textTokensMax ?? story.quote?.bound?.textTokens ?? 0,
  }
}

/** Its circuit opened between plan and call: it is covered by the hold, and not called. */
function isPassed({ skipCode, skipped }: Candidate): boolean {
  return skipCode === 'circuit_open' && skipped?.includes('since the call was planned') === true
}

function isRefused(value: Hold | Refused): value is Refused {
  return 'code' in value
}

function paidInOrder({ gift, onDemand, overdraft, plan, wallet }: Paid): bigint[] {
  return [plan, gift, wallet, onDemand, overdraft]
}

function paidText(...micros: readonly (bigint | string)[]): string {
  const words = ['plan', 'gift', 'wallet', 'on-demand', 'overdraft']
  return words.map((word, at) => `${word} ${micros[at]}`).join(', ')
}

function poolsText(pools: ReadonlyMap<string, bigint>): string {
  return [...pools]
    .filter(([, left]) => left > 0n)
    .map(([slug, left]) => `${slug} ${left}`)
    .toSorted()
    .join(', ')
}
