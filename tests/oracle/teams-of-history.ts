/**
 * The end user joins teams, spends from the payers' wallets and pools, and leaves, and teams are deleted. Each history
 * has its own payers, because concurrent histories run in an unknown order.
 */
import type { Life, Sent } from './topups-and-refunds-of-history.ts'
import { NaiveSources } from './naive-sources.ts'
import { company, names } from './oracle-application.ts'

interface Payer {
  readonly slug: string
  readonly externalId: string
  /** Begins with `eu_`. */
  readonly id: string
  readonly money: NaiveSources
  readonly grants: string[]
  hasTeam: boolean
}

const payersMax = 2

export class Teams {
  readonly #life: Life
  readonly #payers: Payer[] = []

  constructor(life: Life) {
    this.#life = life
  }

  async step(): Promise<void> {
    const { model, random } = this.#life
    const dice = random.next()
    if (model.team === null) {
      if (this.#payers.length > 0 && dice < 0.2) return this.#pay()
      await this.#join(await this.#anyTeam())
      return
    }
    if (dice < 0.5) return this.#pay()
    if (dice < 0.7) return (await this.#setCap())()
    if (dice < 0.8) return this.#freeze()
    return (await this.#end())()
  }

  /** A call is in flight during the change. The naive model applies the change after the hold. */
  async beside(): Promise<Sent> {
    const { model, random } = this.#life
    if (model.team === null) return () => {}
    return random.chance(0.5) ? this.#setCap() : this.#end()
  }

  async #anyTeam(): Promise<Payer> {
    const { externalId, random, world } = this.#life
    const number = this.#payers.length
    if (number === payersMax || (number > 0 && random.chance(0.5))) {
      const payer = random.pick(this.#payers)
      if (!payer.hasTeam) await this.#create(payer)
      return payer
    }
    const payer = `${externalId}-payer-${number}`
    const { id } = await world.api('PUT', `/v1/end-users/${payer}`, { bundle: company.slug })
    const money = new NaiveSources(names, company, this.#life.nowMs())
    const added: Payer = { slug: payer, externalId: payer, id, money, grants: [], hasTeam: false }
    this.#payers.push(added)
    world.books.payers.set(added.slug, id)
    await this.#create(added)
    await this.#payTo(added)
    return added
  }

  async #create(payer: Payer): Promise<void> {
    const { slug } = payer
    await this.#life.world.api('PUT', `/v1/teams/${slug}`, { displayName: slug, payer: payer.externalId })
    payer.hasTeam = true
    this.#life.count('team created')
    this.#life.note(`create team ${slug}`)
  }

  async #join(payer: Payer): Promise<void> {
    const cap = this.#anyCap()
    await this.#putMember(payer, cap)
    this.#life.model.team = { payerId: payer.id, payer: payer.money, cap }
    this.#life.count('joined a team')
  }

  #anyCap(): bigint | null {
    const { random } = this.#life
    return random.chance(0.4) ? null : BigInt(random.whole(0, 3000))
  }

  async #setCap(): Promise<Sent> {
    const { model } = this.#life
    const cap = this.#anyCap()
    await this.#putMember(this.#current(), cap)
    return () => {
      if (model.team !== null) model.team = { ...model.team, cap }
    }
  }

  async #putMember({ slug }: Payer, cap: bigint | null): Promise<void> {
    const { externalId, world } = this.#life
    const capMicros = cap === null ? null : String(cap)
    await world.api('PUT', `/v1/teams/${slug}/members/${externalId}`, { capMicros })
    this.#life.note(`member of ${slug} with the cap ${cap}`)
  }

  async #end(): Promise<Sent> {
    const { externalId, model, random, world } = this.#life
    const payer = this.#current()
    const { slug } = payer
    const isDeleted = random.chance(0.4)
    await world.api('DELETE', isDeleted ? `/v1/teams/${slug}` : `/v1/teams/${slug}/members/${externalId}`)
    if (isDeleted) payer.hasTeam = false
    this.#life.count(isDeleted ? 'team deleted' : 'left a team')
    this.#life.note(`${isDeleted ? 'delete' : 'leave'} ${slug}`)
    return () => void (model.team = null)
  }

  async #freeze(): Promise<void> {
    const { externalId, money } = this.#current()
    await this.#life.world.api(
      'POST',
      `/v1/end-users/${externalId}/${money.isFrozen ? 'unfreeze' : 'freeze'}`,
    )
    money.isFrozen = !money.isFrozen
    if (money.isFrozen) this.#life.count('payer frozen')
    this.#life.note(`${externalId} is ${money.isFrozen ? 'frozen' : 'not frozen'}`)
  }

  #pay(): Promise<void> {
    return this.#payTo(this.#life.random.pick(this.#payers))
  }

  async #payTo({ externalId, grants, money }: Payer): Promise<void> {
    const { random, world } = this.#life
    const dice = random.next()
    const amount = BigInt(random.whole(1, 3000))
    if (dice < 0.4) {
      const body = { endUsers: [externalId], amountUnits: String(amount), reason: 'oracle' }
      const { id } = await world.api('POST', '/v1/grants', body)
      money.give(id, amount)
      grants.push(id)
    } else if (dice < 0.8) {
      const paymentReference = `${externalId}-${this.#life.nowMs()}-${random.whole(0, 2 ** 31)}`
      const body = { amountUnits: String(amount), paymentReference }
      await world.api('POST', `/v1/end-users/${externalId}/top-up`, body)
      money.topUp(amount)
    } else {
      const [id] = grants
      if (id === undefined) return
      const shown = await world.api('POST', `/v1/grants/${id}/reverse`, { reason: 'oracle' })
      const taken = money.takeBack(id, this.#life.nowMs())
      this.#life.same(`what is taken back of ${id}`, shown.reversedUnits, String(taken))
    }
    this.#life.note(`wallet of ${externalId}: ${money.walletPosted}`)
  }

  #current(): Payer {
    const payer = this.#payers.find(({ id }) => id === this.#life.model.team?.payerId)
    if (!payer) return this.#life.differ('the end user is in a team of this history', null, null)
    return payer
  }

  async compare(): Promise<void> {
    const { externalId, model, world } = this.#life
    const now = this.#life.nowMs()
    for (const { externalId: payer, hasTeam, id, money, slug } of this.#payers) {
      const isMember = model.team?.payerId === id
      money.open(now)
      const share = model.share({ payerId: id, payer: money, cap: null }, now)
      // oxlint-disable-next-line no-await-in-loop -- two at most
      const { balance } = await world.api('GET', `/v1/end-users/${payer}`)
      this.#life.same(`balance of ${payer}`, balance.balanceUnits, String(money.walletPosted))
      this.#life.same(`held of ${payer}`, balance.reservedUnits, '0')
      if (!hasTeam) continue
      // oxlint-disable-next-line no-await-in-loop -- as above
      const team = await world.api('GET', `/v1/teams/${slug}`)
      this.#life.same(`balance of ${slug}`, team.balanceUnits, String(money.walletPosted))
      this.#life.same(`spent by ${slug}`, team.spentMicros, String(-share.posted))
      this.#life.same(`members of ${slug}`, team.members, isMember ? 1 : 0)
      // oxlint-disable-next-line no-await-in-loop -- as above
      const { data } = await world.api('GET', `/v1/teams/${slug}/members`)
      const pools = money.newPools(now)
      const shown = new Map<string, bigint>()
      for (const { consumedMicros, grantedMicros, slug: pool } of team.pools)
        shown.set(pool, (shown.get(pool) ?? 0n) + BigInt(grantedMicros) - BigInt(consumedMicros))
      for (const [pool, left] of shown) this.#life.same(`left of ${pool} of ${slug}`, left, pools.get(pool))
      this.#life.same(`shared pools of ${slug}`, [...shown.keys()].toSorted().join(), 'narrow,shared')
      if (!isMember) continue
      const [member] = data
      const fromPools = (member?.pools ?? []).reduce(
        (sum: bigint, { spentMicros }: { spentMicros: string }) => sum + BigInt(spentMicros),
        0n,
      )
      this.#life.same(`spent from pools in ${slug}`, fromPools, model.spentFromPools(id, now))
      const { cap = null } = model.team ?? {}
      this.#life.same(`member of ${slug}`, member?.endUserId, externalId)
      this.#life.same(`cap in ${slug}`, member?.capMicros, cap === null ? null : String(cap))
      this.#life.same(`spent in ${slug}`, member?.spentMicros, String(-share.posted))
    }
  }

  /** The balance in every ledger entry must be the previous balance plus the entry's amount. */
  async compareEnd(): Promise<void> {
    await this.compare()
    for (const { externalId, money } of this.#payers) {
      // oxlint-disable-next-line no-await-in-loop -- two at most
      const { data, nextCursor } = await this.#life.world.api(
        'GET',
        `/v1/end-users/${externalId}/ledger?limit=200`,
      )
      if (nextCursor !== null) this.#life.differ('a payer has few entries', externalId, null)
      let sum = 0n
      for (const { amountUnits, balanceAfterUnits } of data.toReversed()) {
        sum += BigInt(amountUnits)
        this.#life.same(`chain of ${externalId}`, balanceAfterUnits, String(sum))
      }
      this.#life.same(`all entries of ${externalId}`, sum, money.walletPosted)
    }
  }
}
