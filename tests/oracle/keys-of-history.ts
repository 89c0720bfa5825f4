import type { Life } from './topups-and-refunds-of-history.ts'
import type { Key } from './naive-types.ts'
import type { KeyInUse } from './call-and-explanation.ts'

export class Keys {
  readonly #life: Life
  readonly all: KeyInUse[] = []

  constructor(life: Life) {
    this.#life = life
  }

  async setCap(): Promise<void> {
    const cap = this.#life.random.chance(0.6) ? BigInt(this.#life.random.whole(0, 8000)) : null
    await this.capTo(this.#life.random.pick(this.usable), cap)
  }

  async capTo(key: KeyInUse, cap: bigint | null): Promise<void> {
    await this.#life.world.api('POST', `/v1/keys/${key.id}/cap`, {
      capMicros: cap === null ? null : String(cap),
      capPeriod: 'month',
    })
    key.cap = cap
    this.#life.note(`cap ${cap} of ${key.id} in line ${key.line}`)
  }

  get usable(): KeyInUse[] {
    const now = this.#life.nowMs()
    return this.all.filter(({ endsAt }) => endsAt > now)
  }

  add(minted: { readonly id: string; readonly key: string }, key: Key): KeyInUse {
    const added = {
      ...key,
      id: minted.id,
      secret: minted.key,
      endsAt: Number.POSITIVE_INFINITY,
      isReplaced: false,
    }
    this.all.push(added)
    return added
  }

  /** The new key has the cap of the old key. The old key remains valid for a day, or expires immediately. */
  async rotate(): Promise<void> {
    const old = this.#life.random.pick(this.usable.filter(({ isReplaced }) => !isReplaced))
    const graceSeconds = this.#life.random.chance(0.6) ? 86_400 : 0
    const minted = this.#life.random.chance(0.5)
      ? await this.#inPortal('POST', `/v1/portal/keys/${old.id}/rotate`, { graceSeconds })
      : await this.#life.world.api('POST', `/v1/keys/${old.id}/rotate`, { graceSeconds })
    old.isReplaced = true
    old.endsAt = this.#life.nowMs() + graceSeconds * 1_000
    this.add(minted, { line: old.line, isOfPortal: old.isOfPortal, cap: old.cap })
    this.#life.count('rotated')
    this.#life.note(`rotate ${old.id} to ${minted.id}, ${graceSeconds} s`)
  }

  /** Creates the key with the cap 0. Then sets a random cap, or no cap, through the control plane. */
  async mintInPortal(): Promise<void> {
    const minted = await this.#inPortal('POST', '/v1/portal/keys', { capMicros: '0' })
    const key = this.add(minted, { line: minted.id, isOfPortal: true, cap: 0n })
    await this.capTo(key, this.#life.random.chance(0.5) ? null : BigInt(this.#life.random.whole(0, 8000)))
  }

  /**
   * The end user signs in again for each request. A session ends within a day, and the test clock advances by more than
   * a day.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
  #inPortal(method: string, path: string, body?: unknown): Promise<any> {
    return this.#life.world.asEndUser(this.#life.externalId, method, path, body)
  }

  async replaceInPortal(): Promise<void> {
    for (const key of this.usable) {
      if (!key.isOfPortal) continue
      // oxlint-disable-next-line no-await-in-loop -- two at most
      await this.#inPortal('DELETE', `/v1/portal/keys/${key.id}`)
      key.endsAt = this.#life.nowMs()
      this.#life.note(`revoke ${key.id}`)
    }
    await this.mintInPortal()
    this.#life.count('replaced in the portal')
  }
}
