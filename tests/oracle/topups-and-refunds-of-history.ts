import type { Random } from '../support/seeded-random.ts'
import type { Groups } from './compare-earnings.ts'
import type { NaivePerson } from './naive-end-user.ts'
import type { Part } from './naive-types.ts'
import { dayOf } from './compare-earnings.ts'
import type { World } from './oracle-application.ts'

export interface ChargedCall {
  readonly requestId: string
  readonly parts: readonly Part[]
  readonly charge: bigint
  readonly billed: bigint
  readonly groups: Groups
  refunded: bigint
  refundedBilled: bigint
}

export interface Life {
  readonly world: World
  readonly random: Random
  readonly externalId: string
  readonly model: NaivePerson
  nowMs(): number
  note(text: string): void
  count(what: string): void
  same(what: string, actual: unknown, expected: unknown, about?: unknown): void
  differ(what: string, about: unknown, more: unknown): never
}

/** Applies an adjustment or a reversal, which was sent while a call was in flight, to the naive model. */
export type Sent = () => void

export class Corrections {
  readonly #life: Life
  readonly #topUps: { readonly reference: string; readonly amount: bigint }[] = []
  readonly #grants: string[] = []
  readonly #calls: ChargedCall[] = []
  #count = 0

  constructor(life: Life) {
    this.#life = life
  }

  addGrant(id: string): void {
    this.#grants.push(id)
  }

  addCall(call: ChargedCall): void {
    this.#calls.push(call)
  }

  async step(): Promise<void> {
    const dice = this.#life.random.next()
    if (dice < 0.3) return this.topUp()
    if (dice < 0.5) return (await this.adjust())()
    if (dice < 0.7) return (await this.takeBack())()
    return this.refund()
  }

  /** A call is in flight during the change. */
  async beside(): Promise<Sent> {
    return this.#life.random.chance(0.6) ? this.adjust() : this.takeBack()
  }

  /** The server credits each payment reference once. */
  async topUp(): Promise<void> {
    const { externalId, model, random, world } = this.#life
    const repeated = random.chance(0.2) ? random.pick([...this.#topUps, null]) : null
    const amount = repeated?.amount ?? BigInt(random.whole(1, 2500))
    const reference = repeated?.reference ?? `${externalId}-${++this.#count}`
    const shown = await world.api('POST', `/v1/end-users/${externalId}/top-up`, {
      amountUnits: String(amount),
      paymentReference: reference,
    })
    this.#life.note(`top-up ${amount} by ${reference}`)
    if (repeated === null) {
      model.topUp(amount)
      this.#topUps.push({ reference, amount })
      this.#life.same('balance after a top-up', shown.balanceAfterUnits, String(model.walletPosted))
    } else this.#life.count('a payment twice')
    this.#life.count('topped up')
  }

  async adjust(): Promise<Sent> {
    const { externalId, model, random, world } = this.#life
    const free = model.walletPosted
    const amount =
      random.chance(0.4) || free <= 0n
        ? BigInt(random.whole(1, 1500))
        : -BigInt(random.whole(1, Math.ceil(Number(free) * 1.2)))
    const { body, status } = await world.tryApi('POST', `/v1/end-users/${externalId}/adjust`, {
      amountUnits: String(amount),
      reason: 'oracle',
    })
    this.#life.note(`adjust ${amount}: ${status}`)
    return () => {
      const balance = model.adjust(String(body.id), amount)
      this.#life.count(balance === null ? 'adjusted too much' : amount < 0n ? 'adjusted down' : 'adjusted up')
      if (balance === null) {
        this.#life.same('an adjustment of more than is not held', body.error?.code, 'adjustment_too_large')
        this.#life.same('its status', status, 409)
      } else {
        this.#life.same(`an adjustment by ${amount}`, status < 300 ? '' : JSON.stringify(body), '')
        this.#life.same('balance after an adjustment', body.balanceAfterUnits, String(balance))
      }
    }
  }

  async takeBack(): Promise<Sent> {
    const { externalId, model, random, world } = this.#life
    if (this.#grants.length === 0) return () => {}
    const id = random.pick(this.#grants)
    const shown = await world.api('POST', `/v1/grants/${id}/reverse`, {
      reason: 'oracle',
      ...(random.chance(0.5) ? { endUsers: [externalId] } : {}),
    })
    this.#life.note(`reverse ${id}: ${shown.reversedUnits}`)
    return () => {
      const taken = model.takeBack(id, this.#life.nowMs())
      this.#life.count(taken > 0n ? 'reversed' : 'nothing to reverse')
      this.#life.same(`what is taken back of ${id}`, shown.reversedUnits, String(taken))
    }
  }

  async refund(): Promise<void> {
    const { model, random, world } = this.#life
    const charged = this.#calls.filter(({ charge }) => charge > 0n)
    if (charged.length === 0) return
    const call = random.pick(charged)
    const left = call.charge - call.refunded
    const isTooMuch = left === 0n || random.chance(0.1)
    const amount = isTooMuch
      ? left + BigInt(random.whole(1, 100))
      : random.chance(0.5)
        ? left
        : BigInt(random.whole(1, Number(left)))
    const isWhole = !isTooMuch && amount === left && random.chance(0.5)
    const { body, status } = await world.tryApi('POST', `/v1/requests/${call.requestId}/refund`, {
      reason: 'oracle',
      ...(isWhole ? {} : { amountUnits: String(amount) }),
    })
    this.#life.note(`refund ${amount} of ${call.requestId}: ${status} ${JSON.stringify(body.legs ?? body)}`)
    if (isTooMuch) {
      this.#life.count('refunded too much')
      this.#life.same('a refund of more than is left', body.error?.code, 'refund_too_large')
      return
    }
    const now = this.#life.nowMs()
    const paid = model.refund(String(body.id), call.parts, amount, now)
    if (call.parts.some(({ returned, source }) => source.payer && returned > 0n))
      this.#life.count('refunded to a payer')
    call.refunded += amount
    // The sell price decreases by the same share as the remaining charge, rounded down. A refund of the last micro also
    // takes the whole remaining sell price.
    const billed = ((call.billed - call.refundedBilled) * amount) / left
    call.refundedBilled += billed
    this.#life.count(amount === left ? 'refunded whole' : 'refunded in part')
    this.#life.same('refunded', body.amountUnits, String(amount))
    this.#life.same('change of the charge', body.chargeMicros, String(-amount))
    this.#life.same('change of the sell price', body.billedMicros, String(-billed))
    this.#life.same('change of the cost', body.costMicros, '0')
    world.books.add(
      { ...call.groups, day: dayOf(now) },
      {
        charge: -amount,
        billed: -billed,
        plan: -paid.plan,
        gift: -paid.gift,
        wallet: -paid.wallet,
        onDemand: -paid.onDemand,
        overdraft: -paid.overdraft,
      },
    )
    model.usage.billed -= billed
    const story = await world.api('GET', `/v1/requests/${call.requestId}`)
    this.#life.same('refunded so far', story.refundedMicros, String(call.refunded))
    this.#life.same('charged before refunds', story.chargeMicros, String(call.charge))
    const balance = await world.api('GET', `/v1/end-users/${this.#life.externalId}`)
    this.#life.same('balance after a refund', balance.balance.balanceUnits, String(model.balance(now)))
  }
}
