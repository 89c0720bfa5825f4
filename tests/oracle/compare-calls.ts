import { dayOf, type Groups, type Sums } from './compare-earnings.ts'
import type { Corrections, Life } from './topups-and-refunds-of-history.ts'
import { priceOf, type Hold, type Refused, type Target } from './naive-types.ts'
import {
  isPassed,
  isRefused,
  paidInOrder,
  paidText,
  type Answered,
  type Story,
  type Turn,
} from './call-and-explanation.ts'
import { deedOf } from './oracle-application.ts'

/**
 * Minimum number of failures that can open a circuit: a fifth of twenty calls. With fewer calls, five consecutive
 * failures are required.
 */
const failuresToOpen = 4

export class Judge {
  readonly #life: Life
  readonly #corrections: Corrections

  constructor(life: Life, corrections: Corrections) {
    this.#life = life
    this.#corrections = corrections
  }

  judge(what: Turn, answered: Answered, story: Story, expected: Hold | Refused): void {
    const { asked, play } = what
    const now = this.#life.nowMs()
    this.#compareCircuits(what, story)
    if (isRefused(expected)) {
      this.#life.same('requests to the provider for a call without a hold', answered.askedFor.length, 0, what)
      this.#life.count(`refused: ${expected.code}`)
      this.#life.same(
        'status',
        answered.status,
        expected.code === 'end_user_frozen' ? 403 : expected.isHeld ? 429 : 402,
        { ...what, ...expected, textTokens: story.quote?.textTokensMax },
      )
      this.#life.same('code', story.errorCode, expected.code, what)
      if (expected.limit !== null) this.#life.count(`refused by: ${expected.limit}`)
      if (expected.limit !== null && expected.code !== 'end_user_frozen')
        this.#life.same('limit source', story.refusal?.limitSource, expected.limit, what)
      return
    }
    this.#compareTaken(what, story, expected)
    this.compareCovered(what, answered, story, expected)
    const { answers, cost } = this.#attempts(what, answered, story, expected)
    if (answers === null) {
      this.#life.count('failed')
      this.#life.same('charge of a failure', story.chargeMicros, '0', what)
      this.#books(what, expected, { cost })
      this.#life.model.release(expected)
      return
    }
    const { reserve, settle, usage } = story
    if (answered.status !== 200 || !reserve || !settle || !usage)
      return this.#life.differ('the call was to be let in, answered and settled', what, {
        ...expected,
        legs: [],
      })
    const isExtendable = asked.isStream && asked.outputMax === null && !expected.isClamped
    const held = answers === expected.taken[0] ? expected : this.#life.model.redirect(expected, answers)
    const final = this.#extended(held, reserve, isExtendable, what)
    this.#life.same('clamped', reserve.isClamped ?? false, expected.isClamped, what)
    const reported = deedOf(play, answers.model) === 'is empty' ? { ...play, output: 0 } : play
    const used =
      usage.tokenSource === 'provider_reported' ? reported : { input: usage.input, output: usage.output }
    if (usage.tokenSource !== 'provider_reported') {
      // The spending limit must have ended the stream. The provider reports no usage only if the limit ended the
      // stream.
      this.#life.count('cut')
      this.#life.same('only spend cuts', story.errorCode, 'spend_limit_exceeded', what)
    }
    const settled = this.#life.model.settle(final, { input: used.input, output: used.output }, now, cost)
    if (expected.isClamped) this.#life.count('clamped')
    if (settled.overHold > 0n) this.#life.count('over hold')
    if (settled.legs.length > 1) this.#life.count('several sources')
    if (asked.run !== null) this.#life.count('in a run')
    this.#life.same('charge', settle.chargeMicros, String(settled.charge), what)
    this.#life.same('billed', settle.billedMicros, String(settled.billed), what)
    this.#life.same('cost', settle.costMicros, String(settled.cost), what)
    this.#life.same('over hold', settle.overHoldMicros, String(settled.overHold), what)
    this.#life.same(
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
    if (settled.paid.gift > 0n && settled.paid.wallet > 0n) this.#life.count('gift and paid money')
    if (settled.legs.some(({ amount, kind }) => kind === 'team' && amount > 0n))
      this.#life.count('paid by a team')
    if (settled.legs.some(({ amount, kind }) => kind === 'team_pool' && amount > 0n))
      this.#life.count('paid by a shared pool')
    if (settled.paid.overdraft > 0n) this.#life.count('overdraft')
    const { billed, charge, overHold, paid } = settled
    const change = { calls: 1n, cost: settled.cost, billed, charge, overHold, ...paid }
    const groups = this.#books(what, expected, change)
    const { parts } = settled
    const { requestId } = answered
    this.#corrections.addCall({ requestId, parts, charge, billed, groups, refunded: 0n, refundedBilled: 0n })
    this.#life.same(
      'legs',
      settle.legs.map((leg) => `${leg.kind} ${leg.amount} ${leg.unit} for ${leg.micros}`).join('; '),
      settled.legs.map((leg) => `${leg.kind} ${leg.amount} ${leg.unit} for ${leg.micros}`).join('; '),
      what,
    )
  }

  #books({ asked }: Turn, { bundle, payerId }: Hold, change: Partial<Sums>): Groups {
    const groups = {
      endUser: this.#life.externalId,
      model: asked.model,
      bundle: bundle.slug,
      provider: 'main',
      key: asked.key.id,
      day: dayOf(this.#life.nowMs()),
      // In the report by run, the row of a run includes the provider cost of calls that were not charged.
      run: asked.run === null ? 'none' : `${this.#life.world.outcome}/${asked.run}`,
      team: payerId ?? 'none',
    }
    this.#life.world.books.add(groups, change)
    return groups
  }

  /** A target outside the hold is omitted only because it is too expensive. */
  #compareTaken(what: Turn, { route }: Story, { asked, taken }: Hold): void {
    const modelsOf = (some: readonly { readonly model: string }[]): string =>
      some.map(({ model }) => model).join(' ')
    const candidates = route?.candidates ?? null
    if (candidates === null)
      return this.#life.same('targets of a name with one', modelsOf(taken), modelsOf(asked.targets), what)
    this.#life.same(
      'targets taken',
      modelsOf(
        candidates.filter((candidate) => (candidate.skipCode ?? null) === null || isPassed(candidate)),
      ),
      modelsOf(taken),
      what,
    )
    if (taken.length < asked.targets.length) this.#life.count('too dear')
  }

  /**
   * The hold must cover each called target, in any order of the targets, with the maximum output that the client
   * requested. If a stream has no maximum, the provider receives no maximum either, and the hold is extended.
   */
  compareCovered(what: Turn, { askedFor }: Answered, { reserve }: Story, hold: Hold): void {
    const held = BigInt(reserve?.worstMicros ?? 0)
    for (const { body } of askedFor) {
      const target = hold.asked.targets.find(({ model }) => model === body?.model)
      if (!target)
        return this.#life.differ('the provider is asked as a target that may answer', what, body?.model)
      const output = body?.max_tokens ?? hold.output
      const worst = this.#life.model.worstAt(hold, target, output)
      if (worst > held)
        this.#life.differ(`${target.model} is called with ${held} held, and may cost ${worst}`, what, {
          output,
        })
    }
  }

  /** A router skips a target because of its circuit only if the target has failed. */
  #compareCircuits(what: Turn, { route }: Story): void {
    for (const { model, skipCode } of route?.candidates ?? []) {
      if (skipCode !== 'circuit_open') continue
      this.#life.count('circuit open')
      if (this.#life.world.failuresOf(model) < failuresToOpen)
        this.#life.differ(`the circuit of ${model} is closed: it has hardly failed`, what, null)
    }
  }

  /** The target is null if no target responds. */
  #attempts(
    { play }: Turn,
    { askedFor }: Answered,
    { attempts, route }: Story,
    hold: Hold,
  ): { readonly answers: Target | null; readonly cost: bigint } {
    const passed = new Set((route?.candidates ?? []).filter(isPassed).map(({ model }) => model))
    if (passed.size > 0) this.#life.count('passed over')
    const taken = hold.taken.filter(({ model }) => !passed.has(model))
    // The router returns an answer without text only if no other target remains.
    const answersAt = taken.findIndex((target, at) => {
      const deed = deedOf(play, target.model)
      return deed === 'answers' || (deed === 'is empty' && at + 1 === taken.length)
    })
    // The retry budget may have ended the call before it reached another target.
    const isOut = attempts.length < (answersAt === -1 ? taken.length : answersAt + 1)
    if (isOut) this.#life.count('out of retries')
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
    this.#life.same('attempts', shown.join(', '), expected.join(', '), play)
    this.#life.same(
      'who was asked',
      askedFor.map(({ body }) => body?.model).join(', '),
      called.map(({ model }) => model).join(', '),
      play,
    )
    if (failed.length > 0 && answers !== null) this.#life.count('moved on')
    const cost = costs.reduce((sum, one) => sum + one, 0n)
    if (cost > 0n) this.#life.count('a failure that cost')
    return { answers, cost }
  }

  /** The naive model cannot predict when the gateway extends the hold of a stream. */
  #extended(hold: Hold, reserve: { readonly worstMicros: string }, isExtendable: boolean, what: Turn): Hold {
    const worst = BigInt(reserve.worstMicros)
    if (worst === hold.micros) return hold
    if (!isExtendable) this.#life.same('hold', String(worst), String(hold.micros), what)
    this.#life.count('extended')
    const longer = this.#life.model.extendTo(hold, worst)
    if (longer === null) this.#life.differ('an extension that fits', what, { worst, hold: hold.micros })
    return longer ?? hold
  }
}
