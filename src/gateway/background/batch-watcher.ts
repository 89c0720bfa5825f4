/**
 * Each request of a batch is a call with its own hold, and the hold names the batch. The process with the holds asks
 * the provider, less and less often, whether the batch has ended. The process then reads the results and settles each
 * call. If a client requests the results earlier, its process settles the calls. The ledger settles each call once.
 */
import type { ProviderAccount } from '#domain/application-config.ts'
import type { BackgroundCall, BatchKey } from '#domain/background/background-holds-interface.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { simulatorId } from '#domain/sources-serving-model-name.ts'
import type { UpstreamRequest } from '#domain/provider-upstream-interface.ts'
import type { BatchWatch, SentRequest } from '#gateway/call/batch-watch-interface.ts'
import type { Configuration } from '#gateway/call/configuration-cache.ts'
import { mapInTurns } from '#gateway/call/map-list-in-turns.ts'
import { simulatorAccount } from '#gateway/call/targets-of-model-name.ts'
import type { GatewayPorts } from '#gateway/call/dependencies-of-gateway.ts'
import { RequestsInCreation } from '#gateway/call/batch-requests-in-creation.ts'
import { collectResponse } from '#gateway/relay/collect-whole-response.ts'
import { providerLines } from '#gateway/relay/lines-of-provider-response.ts'
import { storedObjectRequest, type AboutStoredObject } from '#gateway/relay/request-about-stored-object.ts'
import { batchProtocols } from '#wire/batch-readers-by-vendor.ts'
import type { BatchResult, BatchState } from '#wire/batch-result-types.ts'
import type { ContainerIds } from '#wire/types-of-replaced-ids.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { endedResponse, type BackgroundEnd, type EndedResponse } from './decide-charge-for-ended-response.ts'
import { reportEnd, settleEnded } from './settle-ended-response.ts'

const settledAtOnce = 64

interface Watched {
  readonly batch: BatchKey
  readonly deadlineMs: number
  readonly callIds: readonly string[]
  /** The calls by ID. Null if another process sent the batch, so that the calls are read from the holds. */
  readonly requests: ReadonlyMap<string, SentRequest> | null
  readonly reported: Set<string>
  /** Until the ID is stored with the holds, no other process could take over. */
  isStored: boolean
  /** Since when the provider reports that it does not have the batch. Null if its newest report includes the batch. */
  lostSinceMs: number | null
  timer: NodeJS.Timeout | null
}

export class BatchWatcher implements BatchWatch {
  readonly inCreation = new RequestsInCreation()
  readonly #ports: GatewayPorts
  readonly #configuration: Configuration
  /** Reserved calls whose batch is not watched yet. */
  readonly #opening = new Set<string>()
  readonly #watched = new Map<string, Watched>()
  readonly #settling = new Map<string, Promise<void>>()
  #isClosed = false

  constructor(ports: GatewayPorts, configuration: Configuration) {
    this.#ports = ports
    this.#configuration = configuration
  }

  get callIds(): readonly string[] {
    return [...this.#opening, ...[...this.#watched.values()].flatMap(({ callIds }) => callIds)]
  }

  open(callIds: readonly string[]): void {
    for (const callId of callIds) this.#opening.add(callId)
  }

  close(callIds: readonly string[]): void {
    for (const callId of callIds) this.#opening.delete(callId)
  }

  async watch(batch: BatchKey, requests: readonly SentRequest[]): Promise<void> {
    const callIds = requests.map(({ call }) => call.callId)
    const deadlineMs = Math.min(...requests.map(({ call }) => call.response.deadlineMs))
    const byId = new Map(requests.map((request) => [request.call.callId, request]))
    const watched = this.#add({ batch, deadlineMs, callIds, requests: byId, isStored: false })
    this.close(callIds)
    await this.#store(watched)
  }

  /**
   * Watches all batches whose holds belong to this process. Call this at the start, and after taking over holds of
   * other processes. Never rejects. If the store is unavailable, the holds are read later.
   */
  async resume(): Promise<void> {
    try {
      for (const { callIds, deadlineMs, ...batch } of await this.#ports.background.ownBatches())
        this.#add({ batch, deadlineMs, callIds, requests: null, isStored: true })
    } catch (err) {
      if (this.#isClosed) return
      this.#ports.log.warn({ err }, 'reading the batches failed; retrying')
      setTimeout(() => void this.resume(), this.#ports.limits.background.maxMs).unref()
    }
  }

  /** The holds stay open, and the process that takes them over watches the batches. */
  stop(): void {
    this.#isClosed = true
    for (const { timer } of this.#watched.values()) if (timer) clearTimeout(timer)
  }

  async settle(batch: BatchKey): Promise<void> {
    const key = keyOf(batch)
    let settling = this.#settling.get(key)
    if (settling === undefined) {
      settling = this.#settleAll(batch).finally(() => this.#settling.delete(key))
      this.#settling.set(key, settling)
    }
    return settling
  }

  #add(batch: Omit<Watched, 'lostSinceMs' | 'reported' | 'timer'>): Watched {
    const key = keyOf(batch.batch)
    const known = this.#watched.get(key)
    if (known !== undefined) return known
    const watched: Watched = { ...batch, reported: new Set(), lostSinceMs: null, timer: null }
    this.#watched.set(key, watched)
    this.#later(watched, this.#ports.limits.background.firstMs)
    return watched
  }

  #later(watched: Watched, ms: number): void {
    if (this.#isClosed || this.#watched.get(keyOf(watched.batch)) !== watched) return
    if (watched.timer) clearTimeout(watched.timer)
    watched.timer = setTimeout(() => void this.#look(watched), ms)
    watched.timer.unref()
  }

  async #store(watched: Watched): Promise<void> {
    const { ledger } = this.#ports
    const requests = [...(watched.requests?.values() ?? [])]
    await mapInTurns(requests, ({ call: { callId, response } }) => ledger.background({ callId, response }))
    watched.isStored = true
  }

  async #look(watched: Watched): Promise<void> {
    watched.timer = null
    const { batch, deadlineMs } = watched
    const { clock, limits, log } = this.#ports
    let end: BackgroundEnd = { kind: 'not_run', errorCode: codes.errored }
    try {
      if (!watched.isStored) await this.#store(watched)
      const account = await this.#account(batch)
      // The account and its key were deleted, so the results cannot be read.
      if (account === null) return await this.#giveUp(batch, { kind: 'not_run', errorCode: 'no_target' })
      let state = await this.#stateOf(batch, account)
      if (!hasEnded(state) && clock.nowMs() >= deadlineMs) {
        await this.#ask(account, batch, { batch: { method: 'POST', id: batch.providerId, part: '/cancel' } })
        state = await this.#stateOf(batch, account)
        // Canceling takes time, and finished requests are billed (docs/reference/wires.md "Batches of OpenAI"). A
        // provider that does not respond may have ended the batch long ago. So ask again before releasing the holds.
        if (!hasEnded(state) && clock.nowMs() >= deadlineMs + limits.background.deadlineMs)
          return await this.#giveUp(batch, { kind: 'not_run', errorCode: 'upstream_timeout' })
      }
      if (hasEnded(state)) {
        // The provider has billed each request of a complete batch, even if the result cannot be read.
        if (state.isComplete) end = { kind: 'unreadable' }
        return await this.settle(batch)
      }
      watched.lostSinceMs = state === 'lost' ? (watched.lostSinceMs ?? clock.nowMs()) : null
      if (watched.lostSinceMs !== null && clock.nowMs() - watched.lostSinceMs >= limits.background.lostMs)
        return await this.#giveUp(batch, { kind: 'not_run', errorCode: 'batch_not_found' })
    } catch (err) {
      if (this.#isClosed) return
      log.warn({ batch: batch.providerId, err }, 'checking whether a batch has ended failed; retrying')
      // The results may never become readable, so stop after this time.
      if (clock.nowMs() >= deadlineMs + limits.background.deadlineMs)
        await this.#giveUp(batch, end).catch(() => {})
    }
    this.#later(watched, this.#pauseMs(watched))
  }

  /** The time until the next request is a tenth of the batch's age. */
  #pauseMs({ deadlineMs }: Watched): number {
    const { background, batches } = this.#ports.limits
    const sinceMs = this.#ports.clock.nowMs() - (deadlineMs - batches.deadlineMs)
    return Math.min(background.maxMs, Math.max(background.firstMs, sinceMs / 10))
  }

  #requestOf(account: ProviderAccount, { format }: BatchKey, about: AboutStoredObject): UpstreamRequest {
    const { limits, newId } = this.#ports
    return storedObjectRequest(account, format, about, {
      callId: idOf('req', newId()),
      deadlines: limits.deadlines,
    })
  }

  /** Returns the text of a successful response, `lost` for the status 404, and null for other failures. */
  async #ask(
    account: ProviderAccount,
    batch: BatchKey,
    about: AboutStoredObject,
  ): Promise<{ readonly text: ByteText } | 'lost' | null> {
    if (this.#isClosed) return null
    const { limits, upstream } = this.#ports
    const request = this.#requestOf(account, batch, about)
    const collected = await collectResponse(upstream, request, limits.responseBytesMax).response
    if (collected.kind !== 'response') return null
    const { status, text } = collected
    return status === 404 ? 'lost' : status >= 200 && status < 300 ? { text } : null
  }

  async #stateOf(batch: BatchKey, account: ProviderAccount): Promise<BatchState | 'lost' | null> {
    const asked = await this.#ask(account, batch, {
      batch: { method: 'GET', id: batch.providerId, part: '' },
    })
    return asked === 'lost' || asked === null ? asked : batchProtocols[batch.format].stateOf(asked.text)
  }

  async #account({ accountId }: BatchKey): Promise<ProviderAccount | null> {
    return accountId === simulatorId ? simulatorAccount : this.#ports.background.account(accountId)
  }

  /**
   * Returns the calls whose ends this process has not reported. The keys are the names (`custom_id`) that the client
   * gave the requests.
   */
  async #callsOf(batch: BatchKey): Promise<Map<string, BackgroundCall>> {
    const watched = this.#watched.get(keyOf(batch))
    const sent = watched?.requests && [...watched.requests.values()].map(({ call }) => call)
    const calls = sent ?? (await this.#ports.background.ofBatch(batch))
    const left = calls.filter(({ callId }) => watched?.reported.has(callId) !== true)
    return new Map(left.map((call) => [call.response.batched?.customId ?? '', call]))
  }

  async #settleAll(batch: BatchKey): Promise<void> {
    const calls = await this.#callsOf(batch)
    if (calls.size === 0) return this.#finished(batch)
    const account = await this.#account(batch)
    if (account === null) throw new Error('the account of the batch was deleted')
    const state = await this.#stateOf(batch, account)
    if (!hasEnded(state)) throw new Error('the batch has not ended')
    const { inputFile, isComplete, resultFiles } = state
    // The gateway uploaded this file, and the end user cannot see it.
    if (inputFile !== null)
      await this.#ask(account, batch, { file: { method: 'DELETE', id: inputFile, part: '' } })
    const sources: readonly AboutStoredObject[] =
      resultFiles === null
        ? [{ batch: { method: 'GET', id: batch.providerId, part: '/results' } }]
        : resultFiles.map((id) => ({ file: { method: 'GET', id, part: '/content' } }))
    let lost = 0
    // oxlint-disable-next-line no-await-in-loop -- one file after the other
    for (const source of sources) lost += await this.#settleFrom(batch, account, source, calls)
    if ((isComplete || lost > 0) && calls.size > 0)
      throw new Error(`the results of ${calls.size} requests of the batch are missing`)
    const end: BackgroundEnd = { kind: 'not_run', errorCode: codes.canceled }
    await mapInTurns([...calls.values()], (call) =>
      this.#settleOne(batch, call, endedResponse(call, end, account)),
    )
    this.#finished(batch)
  }

  /**
   * Settles the calls whose results are in `source`, and removes these calls from `calls`. Returns the number of lines
   * without an ID, which may be results of any call.
   */
  async #settleFrom(
    batch: BatchKey,
    account: ProviderAccount,
    source: AboutStoredObject,
    calls: Map<string, BackgroundCall>,
  ): Promise<number> {
    const { limits, upstream } = this.#ports
    const { resultOf } = batchProtocols[batch.format]
    const [wire = 'chat'] = [...calls.values()].map(({ response }) => response.batched?.wire)
    const request = this.#requestOf(account, batch, source)
    const settling = new Set<Promise<void>>()
    let lost = 0
    try {
      for await (const line of providerLines(upstream, request, limits.responseBytesMax)) {
        const files = new Set<string>()
        // The client's model names and IDs are not needed to settle a result.
        const result = resultOf(line, wire, () => '', noting(files))
        if (result === null) lost++
        const call = result && calls.get(result.customId)
        // oxlint-disable-next-line no-await-in-loop -- few requests create files
        if (files.size > 0) await this.#keepCreatedFiles(batch, account, files)
        // A call that is missing in `calls` is already settled.
        if (!result || !call) continue
        calls.delete(result.customId)
        const one = this.#settleOne(batch, call, endOf(result, account, call)).finally(() =>
          settling.delete(one),
        )
        one.catch(() => {})
        settling.add(one)
        if (settling.size >= settledAtOnce) await Promise.race(settling)
      }
      await Promise.all(settling)
      return lost
    } finally {
      // A failed settle is tried again after all settles have ended.
      await Promise.allSettled(settling)
    }
  }

  async #keepCreatedFiles(
    batch: BatchKey,
    { organizationId }: ProviderAccount,
    files: Set<string>,
  ): Promise<void> {
    await this.#ports.files.addCreated({ ...batch, organizationId }, batch.accountId, files)
  }

  async #settleOne(batch: BatchKey, call: BackgroundCall, ended: EndedResponse): Promise<void> {
    const { background } = this.#ports
    const { callId } = call
    const settled = await settleEnded(
      { ports: this.#ports, configuration: this.#configuration },
      {
        call,
        ended: atBatchPrice(ended),
        wire: call.response.batched?.wire ?? 'messages',
        isOpen: async () => (await background.find(call, callId)) !== null,
      },
    )
    const watched = this.#watched.get(keyOf(batch))
    if (watched === undefined) return
    watched.reported.add(callId)
    reportEnd(this.#ports, settled, watched.requests?.get(callId)?.origin ?? null)
  }

  /**
   * Ends the calls of a batch whose results cannot be read. Removes the batch first, so that no client can read its
   * results later without a charge.
   */
  async #giveUp(batch: BatchKey, end: BackgroundEnd): Promise<void> {
    const { background, batches, batchTags } = this.#ports
    await batches.forget(batchTags.tagOf(batch, batch.format, batch.accountId, batch.providerId))
    const open = new Set((await background.ofBatch(batch)).map(({ callId }) => callId))
    const isStored = this.#watched.get(keyOf(batch))?.isStored !== false
    for (const call of (await this.#callsOf(batch)).values()) {
      // A call without a hold was settled by another process. A second settle returns the first charge, while a release
      // would report no charge.
      const own: BackgroundEnd = isStored && !open.has(call.callId) ? { kind: 'unreadable' } : end
      // oxlint-disable-next-line no-await-in-loop -- this is rare
      await this.#settleOne(batch, call, endedResponse(call, own, null))
    }
    this.#finished(batch)
  }

  #finished(batch: BatchKey): void {
    const watched = this.#watched.get(keyOf(batch))
    if (watched?.timer) clearTimeout(watched.timer)
    this.#watched.delete(keyOf(batch))
  }
}

function keyOf({ accountId, applicationId, endUserId, mode, providerId }: BatchKey): string {
  return JSON.stringify([applicationId, endUserId, mode, accountId, providerId])
}

function hasEnded(state: BatchState | 'lost' | null): state is BatchState {
  return state !== null && state !== 'lost' && state.hasEnded
}

/** Requests that failed or did not run are not charged. */
function endOf(result: BatchResult, account: ProviderAccount, call: BackgroundCall): EndedResponse {
  const { answer, type } = result
  if (type === 'unreadable') return endedResponse(call, { kind: type }, account)
  if (answer === null) return endedResponse(call, { kind: 'not_run', errorCode: codes[type] }, account)
  const { answeredBy = null, outputTokens, usage } = answer
  const report = { end: 'completed', answeredBy, outputTokens, usage } as const
  return { ...endedResponse(call, { kind: 'reported', report }, account), traceEnd: 'batch' }
}

/** The provider bills its batch price, whichever tier it reports. */
function atBatchPrice(ended: EndedResponse): EndedResponse {
  const { used } = ended
  return { ...ended, used: used && { ...used, usage: { ...used.usage, serviceTier: 'batch' } } }
}

const codes = {
  succeeded: 'upstream_error',
  errored: 'upstream_error',
  canceled: 'response_canceled',
  expired: 'upstream_timeout',
} as const

/** Keeps every ID, and adds the ID of each file that code created to `files`. */
function noting(files: Set<string>): ContainerIds {
  return {
    idOf: (id) => id,
    fileIdOf(id) {
      files.add(id)
      return id
    },
  }
}
