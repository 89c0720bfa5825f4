/**
 * Each background response has a hold, which belongs to one process. The process asks the provider, less and less
 * often, whether the response has ended, and then settles the call. The hold contains all data that this needs, so that
 * another process can take over (store/ledger/recover-call-of-dead-process.ts). If a client reads the ended response
 * earlier, its process settles the call. The ledger settles each call once.
 */
import type { Account } from '#domain/billing/money-account-key.ts'
import type { ProviderAccount } from '#domain/application-config.ts'
import type { BackgroundCall, BackgroundHolds } from '#domain/background/background-holds-interface.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { simulatorId } from '#domain/sources-serving-model-name.ts'
import type { StoredRequest } from '#domain/provider-upstream-interface.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { BackgroundOrigin, BackgroundWatch } from '#gateway/call/background-watch-interface.ts'
import type { Configuration } from '#gateway/call/configuration-cache.ts'
import { simulatorAccount } from '#gateway/call/targets-of-model-name.ts'
import type { GatewayPorts } from '#gateway/call/dependencies-of-gateway.ts'
import { collectResponse, type Collecting } from '#gateway/relay/collect-whole-response.ts'
import { readBackgroundReport, type BackgroundReport } from '#wire/responses/non-streaming-response.ts'
import type { AnswerStream } from '#wire/stream/answer-stream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { deliveredUsage } from '#gateway/relay/estimate-usage-of-background-call.ts'
import { endedResponse, type BackgroundEnd } from './decide-charge-for-ended-response.ts'
import { reportEnd, settleEnded } from './settle-ended-response.ts'

/** Average time between the first requests to providers after a restart. */
const spreadMs = 100

interface Watched {
  readonly call: BackgroundCall
  /**
   * The facts with which this process updates its limit counts at the end. Null if another process sent the request.
   */
  readonly origin: BackgroundOrigin | null
  /** Until the ID is stored with the hold, no other process could take over. */
  isStored: boolean
  /**
   * Since when the provider reports that it does not have the response. Null if its newest report includes the
   * response.
   */
  lostSinceMs: number | null
  timer: NodeJS.Timeout | null
  collecting: Collecting | null
}

export class BackgroundResponseWatcher implements BackgroundWatch {
  readonly #ports: GatewayPorts
  readonly #holds: BackgroundHolds
  readonly #configuration: Configuration
  readonly #openCallIds: ReadonlySet<string>
  readonly #watched = new Map<string, Watched>()
  readonly #settling = new Map<string, Promise<void>>()
  /** Calls whose response IDs are stored, but that are not watched yet. */
  readonly #stored = new Set<string>()
  /** Background responses that clients are reading as streams. */
  readonly #streams = new Map<string, Pick<AnswerStream, 'outputTokens'>>()
  #isClosed = false

  /** @param openCallIds IDs of the requests that this process is serving */
  constructor(ports: GatewayPorts, configuration: Configuration, openCallIds: ReadonlySet<string>) {
    this.#ports = ports
    this.#holds = ports.background
    this.#configuration = configuration
    this.#openCallIds = openCallIds
  }

  get callIds(): Iterable<string> {
    return this.#watched.keys()
  }

  async begin(call: BackgroundCall, stream: Pick<AnswerStream, 'outputTokens'> | null): Promise<void> {
    const { callId, response } = call
    if (stream !== null) this.#streams.set(callId, stream)
    await this.#ports.ledger.background({ callId, response })
    // The stream may have ended while the ID was stored.
    if (stream === null || this.#streams.has(callId)) this.#stored.add(callId)
  }

  streamed(callId: string): void {
    this.#streams.delete(callId)
    this.#stored.delete(callId)
  }

  watch(call: BackgroundCall, origin: BackgroundOrigin): void {
    const isStored = this.#stored.has(call.callId)
    this.streamed(call.callId)
    this.#add(newWatched(call, origin, isStored), this.#ports.limits.background.firstMs)
  }

  find(owner: Account, callId: string): Promise<BackgroundCall | null> {
    return this.#holds.find(owner, callId)
  }

  async settleIfOver(call: BackgroundCall, body: ByteText): Promise<boolean> {
    const report = readBackgroundReport(body)
    if (report === null || report.end === null) return false
    await this.#settle(call, { kind: 'reported', report })
    return true
  }

  settleReported(call: BackgroundCall, report: BackgroundReport): Promise<void> {
    return this.#settle(call, { kind: 'reported', report })
  }

  noteDelivered(call: BackgroundCall, delivered: Usage): Promise<void> {
    const { callId, endUserId, keyId, mode, response } = call
    return this.#ports.ledger.background({ callId, response, delivered, owner: { endUserId, keyId, mode } })
  }

  /**
   * Watches all responses whose holds belong to this process. Call this at the start, and after holds of ended
   * processes were taken over. Never rejects. If the store is unavailable, the holds are read later.
   *
   * Skips requests that this process is still serving. The end of such a request settles the call, or calls `watch` with
   * the facts for the limit counts.
   */
  async resume(): Promise<void> {
    try {
      const openBefore = new Set(this.#openCallIds)
      const held = await this.#holds.own()
      const calls = held.filter(({ callId }) => !openBefore.has(callId) && !this.#openCallIds.has(callId))
      // Spread the first requests over time, so that a restart does not send all these requests in one moment.
      const { maxMs } = this.#ports.limits.background
      const withinMs = Math.min(maxMs, calls.length * spreadMs)
      for (const call of calls) this.#add(newWatched(call, null, true), this.#ports.random() * withinMs)
    } catch (err) {
      if (this.#isClosed) return
      this.#ports.log.warn({ err }, 'reading the responses in the background failed; retrying')
      setTimeout(() => void this.resume(), this.#ports.limits.background.maxMs).unref()
    }
  }

  /** The holds stay open, and the process that takes them over watches the responses. */
  close(): void {
    this.#isClosed = true
    for (const { collecting, timer } of this.#watched.values()) {
      if (timer) clearTimeout(timer)
      collecting?.abort()
    }
  }

  #add(watched: Watched, afterMs: number): void {
    const { callId } = watched.call
    if (this.#isClosed || this.#watched.has(callId)) return
    this.#watched.set(callId, watched)
    this.#later(watched, afterMs)
  }

  #later(watched: Watched, ms: number): void {
    if (this.#isClosed || !this.#watched.has(watched.call.callId)) return
    watched.timer = setTimeout(() => void this.#look(watched), ms)
    watched.timer.unref()
  }

  async #look(watched: Watched): Promise<void> {
    watched.timer = null
    const { call } = watched
    let retryMs = 0
    try {
      if (!watched.isStored) {
        const { callId, response } = call
        await this.#ports.ledger.background({ callId, response })
        watched.isStored = true
      }
      const seen = await this.#ask(watched, 'GET')
      if (seen.kind === 'end') return await this.#settle(call, seen.end)
      retryMs = seen.retryMs
      if (this.#ports.clock.nowMs() >= call.response.deadlineMs) {
        const canceled = await this.#ask(watched, 'POST')
        return await this.#settle(call, canceled.kind === 'end' ? canceled.end : { kind: 'expired' })
      }
    } catch (err) {
      if (this.#isClosed) return
      this.#ports.log.warn(
        { requestId: call.callId, err },
        'checking whether a background response has ended failed; retrying',
      )
    }
    const { maxMs } = this.#ports.limits.background
    this.#later(watched, Math.max(Math.min(retryMs, 10 * maxMs), this.#pauseMs(call)))
  }

  /**
   * The time until the next request is a tenth of the response's age. The end is thus found soon, and a long response
   * causes few requests.
   */
  #pauseMs({ response: { deadlineMs } }: BackgroundCall): number {
    const { deadlineMs: lifeMs, firstMs, maxMs } = this.#ports.limits.background
    const nowMs = this.#ports.clock.nowMs()
    const pauseMs = Math.min(maxMs, Math.max(firstMs, (nowMs - (deadlineMs - lifeMs)) / 10))
    return nowMs < deadlineMs ? Math.min(pauseMs, deadlineMs - nowMs) : pauseMs
  }

  async #ask(
    watched: Watched,
    method: 'GET' | 'POST',
  ): Promise<{ kind: 'end'; end: BackgroundEnd } | { kind: 'running'; retryMs: number }> {
    const { callId, response, target } = watched.call
    const account = await this.#account(watched.call)
    const unknown = { kind: 'running', retryMs: 0 } as const
    if (account === null || this.#isClosed) return unknown
    const { limits, upstream } = this.#ports
    const stored: StoredRequest = { method, id: response.id, part: method === 'POST' ? '/cancel' : '' }
    watched.collecting = collectResponse(
      upstream,
      {
        account,
        model: target.model,
        wire: 'responses',
        purpose: 'count',
        stored,
        body: '',
        isStream: false,
        headers: [],
        query: '',
        callId: idOf('req', callId),
        deadlines: limits.deadlines,
      },
      limits.responseBytesMax,
    )
    const collected = await watched.collecting.response
    watched.collecting = null
    if (collected.kind !== 'response') return unknown
    const { retryAfterSeconds, status, text } = collected
    if (status === 404) {
      const nowMs = this.#ports.clock.nowMs()
      watched.lostSinceMs ??= nowMs
      return nowMs - watched.lostSinceMs >= limits.background.lostMs
        ? { kind: 'end', end: { kind: 'lost' } }
        : unknown
    }
    watched.lostSinceMs = null
    const report = status >= 200 && status < 300 ? readBackgroundReport(text) : null
    return report === null || report.end === null
      ? { kind: 'running', retryMs: (retryAfterSeconds ?? 0) * 1_000 }
      : { kind: 'end', end: { kind: 'reported', report } }
  }

  async #account({ target }: BackgroundCall): Promise<ProviderAccount | null> {
    return target.accountId === simulatorId ? simulatorAccount : this.#holds.account(target.accountId)
  }

  /**
   * If this process is already settling the call, waits for that settle. If several processes settle the call, the
   * ledger accepts only the first settle.
   */
  #settle(call: BackgroundCall, end: BackgroundEnd): Promise<void> {
    const { callId } = call
    let settling = this.#settling.get(callId)
    if (settling === undefined) {
      settling = this.#settleOnce(call, end).finally(() => this.#settling.delete(callId))
      this.#settling.set(callId, settling)
    }
    return settling
  }

  /** Adds the output that a client has received so far, which is newer than the last checkpoint. */
  #withDelivered(call: BackgroundCall): BackgroundCall {
    const stream = this.#streams.get(call.callId)
    const delivered = deliveredUsage(call, stream?.outputTokens ?? 0)
    if (delivered.output <= (call.checkpoint?.output ?? 0)) return call
    return { ...call, checkpoint: delivered }
  }

  async #settleOnce(known: BackgroundCall, end: BackgroundEnd): Promise<void> {
    const { callId } = known
    // The stored hold also has the usage that was delivered to a client who has disconnected.
    const stored = await this.#holds.find(known, callId)
    const call = this.#withDelivered(stored ?? known)
    const ended = endedResponse(call, end, await this.#account(call))
    const settled = await settleEnded(
      { ports: this.#ports, configuration: this.#configuration },
      { call, ended, wire: 'responses', isOpen: () => stored !== null },
    )
    const watched = this.#watched.get(callId)
    if (watched === undefined) return
    this.#watched.delete(callId)
    if (watched.timer) clearTimeout(watched.timer)
    watched.collecting?.abort()
    reportEnd(this.#ports, settled, watched.origin)
  }
}

function newWatched(call: BackgroundCall, origin: BackgroundOrigin | null, isStored: boolean): Watched {
  return { call, origin, isStored, lostSinceMs: null, timer: null, collecting: null }
}
