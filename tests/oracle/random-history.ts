import { setTimeout as delay } from 'node:timers/promises'
import type { FakeCall } from '../support/fake-provider.ts'
import type { Random } from '../support/seeded-random.ts'
import { compareEnd, compareLife } from './compare-end-user-state.ts'
import { Corrections, type Life, type Sent } from './topups-and-refunds-of-history.ts'
import { clearAnInvoice } from './invoices-of-history.ts'
import { Judge } from './compare-calls.ts'
import { Keys } from './keys-of-history.ts'
import type { Bundle, Target, Window } from './naive-types.ts'
import { NaivePerson } from './naive-end-user.ts'
import { Teams } from './teams-of-history.ts'
import { askedOf, isRefused, type Answered, type Story, type Turn } from './call-and-explanation.ts'
import { bare, bundles, mayRefuse, names, portalTotal, promptOf, type World } from './oracle-application.ts'

const recordTriesMax = 600
const recordEveryMs = 100
const progressTriesMax = 30_000
const progressEveryMs = 2

/** How often the test reached each case. A run that never reaches a hard case does not test it. */
export type Seen = Record<string, number>

class Difference extends Error {}

export class Sequence {
  readonly #world: World
  readonly #random: Random
  readonly #seen: Seen
  readonly #nowMs: () => number
  readonly #externalId: string
  readonly #history: string[] = []
  readonly #keys: Keys
  readonly #judge: Judge
  readonly #teams: Teams
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
      same: (what, actual, expected, about = null) => this.#same(what, actual, expected, about),
      differ: (what, about, more) => this.#differ(what, about, more),
    }
    this.#corrections = new Corrections(this.#life)
    this.#judge = new Judge(this.#life, this.#corrections)
    this.#keys = new Keys(this.#life)
    this.#teams = new Teams(this.#life)
  }

  async begin(): Promise<void> {
    const bundle = this.#random.pick(bundles)
    const minted = await this.#world.api('POST', '/v1/keys', {
      endUserId: this.#externalId,
      bundle: bundle.slug,
    })
    this.#keys.add(minted, { line: minted.id, isOfPortal: false, cap: null })
    this.#person = new NaivePerson(names, bundle, this.#nowMs(), portalTotal)
    await this.#keys.mintInPortal()
    this.#history.push(`on ${bundle.slug}`)
    await this.#grant()
  }

  /** All steps happen at one time of the test clock. */
  async round(steps: number): Promise<void> {
    this.#history.push(`at ${new Date(this.#nowMs()).toISOString()}`)
    // Replaces the server's hourly work, because the test clock skips many hours.
    await this.#world.api('GET', `/v1/subscription?endUserId=${this.#externalId}`)
    for (let step = 0; step < steps; step++) {
      // oxlint-disable-next-line no-await-in-loop -- the steps of a history run in order
      await this.#step()
    }
    await this.compare()
  }

  #step(): Promise<void> {
    const random = this.#random
    const dice = random.next()
    if (dice < 0.4) return this.#call(this.#play())
    if (dice < 0.46) return this.#teams.step()
    if (dice < 0.54) return this.#pair()
    if (dice < 0.62) return this.#grant()
    if (dice < 0.74) return this.#corrections.step()
    if (dice < 0.79) return clearAnInvoice(this.#life)
    if (dice < 0.86) return this.#subscribe()
    if (dice < 0.92) return this.#setOnDemand()
    if (dice < 0.94) return this.#keys.setCap()
    if (dice < 0.96) return this.#setLimits()
    if (dice < 0.98) return this.#keys.rotate()
    if (dice < 0.99) return this.#keys.replaceInPortal()
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
      asked: { key: random.pick(this.#keys.usable), model, outputMax, isStream, run },
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

  /** Searches only the requests after the number `from`. */
  #askedFor({ padding, play }: Turn, from: number): FakeCall[] {
    const prompt = JSON.stringify(promptOf(play, padding))
    return this.#world.provider.calls.slice(from).filter(({ text }) => text.includes(prompt))
  }

  async #call(what: Turn): Promise<void> {
    const answered = await this.#send(what)
    const story = await this.#story(answered.requestId)
    this.#note('call', what, answered, story)
    this.#judge.judge(
      what,
      answered,
      story,
      this.#model.reserve(askedOf(what, story), this.#nowMs(), this.#world.ceiling),
    )
  }

  /** The second call uses money that the first does not hold, or waits until the first ends. */
  #pair(): Promise<void> {
    // `provider.release` would release the waiting calls of all pairs, so run only one pair at a time.
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
      this.#judge.judge(
        slow,
        answered,
        story,
        this.#model.reserve(askedOf(slow, story), this.#nowMs(), this.#world.ceiling),
      )
      return
    }
    // The explanation of a call in flight shows the hold, but not the other possible targets.
    const [row] = (await this.#world.api('GET', `/v1/requests?endUserId=${this.#externalId}&limit=1`)).data
    const inFlight = await this.#story(row.id)

    const dice = this.#random.next()
    const sent: Sent =
      dice < 0.3 ? await this.#corrections.beside() : dice < 0.4 ? await this.#teams.beside() : () => {}
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
    this.#judge.compareCovered(slow, firstAnswered, inFlight, firstHold)
    sent()
    if (!isBeside) this.#judge.judge(slow, firstAnswered, ended, firstHold)
    const expected = this.#model.reserve(askedOf(second, story), now, this.#world.ceiling)
    this.#judge.judge(second, secondAnswered, story, expected)
    if (isBeside) this.#judge.judge(slow, firstAnswered, ended, firstHold)
  }

  /** A call has reached the provider, has ended before, or waits for another call to end. */
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
      // Only the second call of a pair can wait for a call in flight, and only one pair exists at a time.
      if (this.#world.callsWaiting > 0) return 'waiting'
      // oxlint-disable-next-line no-await-in-loop -- the provider sends no event for this
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

  /** Grants credit without an expiry, or with an expiry now or later. */
  async #grant(): Promise<void> {
    const random = this.#random
    const amount = BigInt(random.whole(1, 2500))
    const hourMs = 3_600_000
    const isEnding = random.chance(0.4)
    const starts = isEnding && random.chance(0.3) ? this.#nowMs() + random.whole(1, 400) * hourMs : null
    const expires = !isEnding ? null : (starts ?? this.#nowMs()) + random.whole(1, 900) * hourMs
    const { id } = await this.#world.api('POST', '/v1/grants', {
      endUsers: [this.#externalId],
      amountUnits: String(amount),
      reason: 'oracle',
      ...(expires === null ? {} : { expiresAt: new Date(expires).toISOString() }),
      ...(starts === null ? {} : { startsAt: new Date(starts).toISOString() }),
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

  async compare(): Promise<void> {
    await compareLife(this.#life, this.#keys)
    await this.#teams.compare()
  }

  async end(): Promise<void> {
    // No plan renews on a bundle without a price.
    await this.#subscribeTo(bare)
    await compareEnd(this.#life, this.#keys)
    await this.#teams.compareEnd()
  }

  /** The record of a rejected call may be stored after its response, on a busy machine. */
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
