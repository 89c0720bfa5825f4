import { Failure } from '#domain/errors.ts'
import { modelFacts, tasksOf, type UpstreamFormat } from '#domain/accounts/provider-kinds.ts'
import type { AnswerStream, WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { prepareConversion, type Conversion } from '#convert/prepare-conversion.ts'
import { convertedAnswer, statedModel } from '#convert/convert-non-streaming-response.ts'
import { convertCompletions } from '#convert/completions/convert-completions.ts'
import { convertEmbeddings } from '#convert/embeddings/convert-embeddings.ts'
import { ConvertedStream } from '#convert/converted-stream.ts'
import type { Destination } from '#convert/capabilities/capability-type.ts'
import type { DecoderOptions, EncoderOptions } from '#convert/codec-interface.ts'
import { codecs } from '#convert/table-of-codecs.ts'
import { openNoStream } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { wires } from '#wire/table-of-wires.ts'
import { parseObject } from '#wire/text/json-values.ts'
import { mistralBody } from '#wire/chat/mistral-body.ts'
import {
  isTask,
  wireOf,
  type FormatName,
  type OpenaiDialect,
  type WireName,
  type TaskName,
} from '#wire/names-of-wires-and-tasks.ts'
import { fault, isFault, upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { StopFilter } from '#convert/stop-sequence-filter.ts'
import type { ProviderIds } from '#wire/types-of-replaced-ids.ts'
import type { CacheTags } from '#domain/secrets/ids-of-cached-contents.ts'
import type { ContainerTags } from '#domain/secrets/ids-of-containers.ts'
import type { ConversationTags } from '#domain/secrets/ids-of-conversations.ts'
import type { Account } from '#domain/billing/money-account-key.ts'
import type { StateTags } from '#domain/secrets/ids-of-stored-responses.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'
import { cacheFault, cacheIdsOf } from '#gateway/call/use-of-cached-contents.ts'
import { conversationIdsOf, otherConversationFault } from '#gateway/call/use-of-stored-conversations.ts'
import {
  containerIdsOf,
  fileFormatOf,
  otherAccountFault,
  otherContainerFault,
  storageFault,
} from '#gateway/call/use-of-stored-files.ts'
import { idsOf, otherTargetFault } from '#gateway/call/use-of-stored-responses.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import type { Clock } from '#gateway/call/dependencies-of-gateway.ts'
import type { Dispatch } from '#gateway/call/routed-target-types.ts'
import { failureOfFault } from '#gateway/call/failure-of-request-fault.ts'
import { ownSearchFault, requestAt, searchOptionsFault } from '#gateway/call/apply-provider-tool-rules.ts'
import { withMaximumPrice } from './limit-openrouter-host-price.ts'

const nothing: readonly string[] = []

/** A provider of the client's own wire gets the bytes unchanged. A class costs less per call than closures. */
class PassThrough implements Dispatch {
  readonly needsMaximum = false
  readonly #request: WireRequest
  readonly #dialect: OpenaiDialect
  readonly #ids: ProviderIds | undefined

  constructor(request: WireRequest, dialect: OpenaiDialect, ids: ProviderIds | undefined) {
    this.#request = request
    this.#dialect = dialect
    this.#ids = ids
  }

  get wire(): UpstreamFormat {
    return this.#request.wire
  }

  get lost(): readonly string[] {
    return this.#request.lost ?? nothing
  }

  body(model: string, outputTokensMax: number | null, toolUsesMax: number | null): ByteText {
    const body = upstreamBody(this.#request, model, outputTokensMax, this.#dialect, toolUsesMax)
    return this.#dialect === 'mistral' && this.#request.contentType === undefined ? mistralBody(body) : body
  }

  openStream(): AnswerStream {
    return wires[this.#request.wire].openStream(this.#request, this.#ids)
  }

  readAnswer(text: ByteText): WholeAnswer | null {
    return wires[this.#request.wire].readAnswer(text, this.#request, this.#ids)
  }
}

interface CallFacts {
  readonly id: string
  readonly startedAtMs: number
  /** The provider's IDs of files that code has created. The converted response adds these files. */
  createdFiles?: Set<string> | null
  readonly ports: {
    readonly clock: Pick<Clock, 'nowMs'>
    readonly cacheTags: CacheTags
    readonly containerTags: ContainerTags
    readonly conversationTags: ConversationTags
    readonly stateTags: StateTags
  }
}

class Converted implements Dispatch {
  readonly wire: WireName
  readonly lost: readonly string[]
  readonly needsMaximum: boolean
  readonly outputTokensRaised: number | undefined
  readonly #call: CallFacts
  readonly #request: WireRequest
  readonly #conversion: Conversion
  readonly #origin: string
  readonly #outputTokensDefault: number

  constructor(call: CallFacts, request: WireRequest, plan: Plan, to: Destination, conversion: Conversion) {
    this.#call = call
    this.#request = request
    this.#conversion = conversion
    this.#origin = plan.signatureOrigin
    this.#outputTokensDefault = plan.outputTokensDefault
    this.wire = to.wire
    this.lost = [...(request.lost ?? nothing), ...conversion.lost]
    this.needsMaximum = to.wire === 'messages' && request.outputTokensMax === null
    const { outputTokensMax } = conversion
    this.outputTokensRaised =
      outputTokensMax === null || outputTokensMax === request.outputTokensMax ? undefined : outputTokensMax
  }

  body(_model: string, outputTokensMax: number | null): ByteText {
    const asked = outputTokensMax ?? this.#conversion.outputTokensMax
    return this.#conversion.body({
      outputTokensMax: asked,
      outputTokensDefault: asked ?? this.#outputTokensDefault,
    })
  }

  openStream(): AnswerStream {
    const { stops } = this.#conversion
    return new ConvertedStream(
      this.#conversion.decoder(this.#decoding()),
      codecs[wireOf(this.#request.wire)].encoder(this.#encoding()),
      stops.length === 0 ? null : new StopFilter(stops),
      this.#request.choices,
    )
  }

  readAnswer(text: ByteText): WholeAnswer | null {
    const body = parseObject(textOf(text))
    const events = body && this.#conversion.decodeAnswer(body, this.#decoding())
    if (!events) return null
    const { stops } = this.#conversion
    const filter = new StopFilter(stops)
    const answer = convertedAnswer(
      stops.length === 0 ? events : events.flatMap((event) => filter.pass(event)),
      (kept) => codecs[wireOf(this.#request.wire)].encodeAnswer(kept, this.#encoding()),
      this.#request.inputEstimate,
    )
    return answer && { ...answer, answeredBy: statedModel(body) }
  }

  #decoding(): DecoderOptions {
    return { origin: this.#origin, callIdPrefix: `call_${this.#call.id}_` }
  }

  #encoding(): EncoderOptions {
    return {
      alias: this.#request.model,
      callId: this.#call.id,
      createdSeconds: Math.floor(this.#call.startedAtMs / 1000),
      nowSeconds: () => Math.floor(this.#call.ports.clock.nowMs() / 1000),
      request: this.#conversion.request,
      inputTokensEstimated: this.#request.inputEstimate,
      isJsonArray: this.#request.isJsonArray,
    }
  }
}

/** @param asked the request before the removal of tools that are not sent to this provider */
export function dispatchOf(
  call: CallFacts,
  { config, key }: Pick<Caller, 'config' | 'key'>,
  asked: WireRequest,
  plan: Plan,
): Dispatch | Failure {
  const elsewhere = asked.previous === undefined ? null : otherTargetFault(asked.previous, plan)
  if (elsewhere !== null) return elsewhere
  const otherAccount = asked.files === undefined ? null : otherAccountFault(asked.files, plan)
  if (otherAccount !== null) return otherAccount
  const uncached = cacheFault(asked, plan)
  if (uncached !== null) return uncached
  const { storageAddresses } = asked
  const unreadable = storageAddresses === undefined ? null : storageFault(storageAddresses, plan, config)
  if (unreadable !== null) return unreadable
  const otherContainer = asked.containers === undefined ? null : otherContainerFault(asked.containers, plan)
  if (otherContainer !== null) return otherContainer
  const otherStore =
    asked.conversation === undefined ? null : otherConversationFault(asked.conversation, plan)
  if (otherStore !== null) return otherStore
  if (asked.batchAccountId !== undefined && asked.batchAccountId !== plan.source.account.id)
    return failureOfFault(fault('unsupported_for_route', 'model', otherBatchAccount))
  if (asked.isBackground === true && plan.stateOrigin === null)
    return failureOfFault(fault('unsupported_for_route', 'background', noBackground))
  /** In strict mode, a request is rejected if a field would be dropped or changed. */
  const isStrict = config.gateway?.conversion === 'strict'
  const searching = ownSearchFault(plan)
  if (searching !== null) return searching
  const unpriced = asked.searchOptions === undefined ? null : searchOptionsFault(asked.searchOptions, plan)
  if (unpriced !== null) return unpriced
  const offered = requestAt(asked, plan)
  const request = offered instanceof Failure ? offered : withMaximumPrice(offered, plan)
  if (request instanceof Failure) return request
  if (request.wire === 'transcriptions' && request.isStream && /whisper/i.test(plan.target.model))
    return failureOfFault(fault('unsupported_for_route', 'stream', noStream))
  const { dialect, wires: spoken } = modelFacts(plan.account.kind, plan.target.model)
  if (passes(request.wire, plan, spoken))
    return new PassThrough(request, dialect, providerIdsOf(call, key, request, plan))
  if (isTask(request.wire)) return taskDispatch(call, request, plan, isStrict)
  if (request.files !== undefined) return failureOfFault(fault('unsupported_for_route', 'file_id', noFiles))
  const { model } = plan.target
  const toWire = (wire: WireName): Dispatch | Failure => {
    const to: Destination = { wire, model, origin: plan.signatureOrigin, dialect }
    const conversion = prepareConversion(request, to)
    if (isFault(conversion)) return failureOfFault(conversion)
    return lossFault(conversion.lost, isStrict) ?? new Converted(call, request, plan, to, conversion)
  }
  const [first, ...others] = spoken
  const preferred = toWire(first)
  if (!(preferred instanceof Failure)) return preferred
  // Another wire of the provider may express the request. OpenAI accepts some content, such as audio, only in chat
  // completions.
  for (const wire of others) {
    const dispatch = toWire(wire)
    if (!(dispatch instanceof Failure)) return dispatch
  }
  return preferred
}

/** Undefined if a response contains no IDs of responses, files or containers. */
function providerIdsOf(
  call: CallFacts,
  owner: Account,
  request: WireRequest,
  plan: Plan,
): ProviderIds | undefined {
  const { id, ports } = call
  const responses = idsOf(ports.stateTags, owner, request, plan, id)
  const conversations = request.conversation && conversationIdsOf(ports.conversationTags, owner, plan)
  const stored = responses && { responses, ...(conversations && { conversations }) }
  if (request.caching?.id === null) {
    const caches = cacheIdsOf(ports.cacheTags, owner, request, plan)
    return caches && { caches }
  }
  // Anthropic's searches and fetches also run code.
  const mayRunCode = request.wire === 'messages' || request.run?.kinds.includes('codeExecution') === true
  if (request.run === undefined || !mayRunCode) return stored
  const format = fileFormatOf(request.wire)
  const containers = containerIdsOf(ports.containerTags, owner, format, plan, (file) => {
    call.createdFiles ??= new Set()
    call.createdFiles.add(file)
  })
  return { ...stored, ...(containers && { containers }) }
}

/** Whether the account accepts the client's format for the model, so that the body is forwarded unchanged. */
function passes(format: FormatName, { account, target }: Plan, spoken: readonly WireName[]): boolean {
  return isTask(format) ? tasksOf(account.kind, target.model).includes(format) : spoken.includes(format)
}

function taskDispatch(
  { id, startedAtMs }: CallFacts,
  request: WireRequest,
  { account, target }: Plan,
  isStrict: boolean,
): Dispatch | Failure {
  const tasks = tasksOf(account.kind, target.model)
  if (request.wire === 'completions' && tasks.includes('invoke_prompt')) {
    const conversion = convertCompletions(request, target.model, {
      id: `cmpl-${id}`,
      created: Math.floor(startedAtMs / 1000),
    })
    if (isFault(conversion)) return failureOfFault(conversion)
    return lossFault(conversion.lost, isStrict) ?? conversion
  }
  const isInvoked = request.wire === 'completions' && request.family !== undefined
  const reason = isInvoked ? noPrompts : isTask(request.wire) ? unconverted[request.wire] : undefined
  if (reason !== undefined) return failureOfFault(fault('unsupported_for_route', 'model', reason))
  const conversion = convertEmbeddings({ ...request, callId: id }, tasks, target.model)
  if (isFault(conversion)) return failureOfFault(conversion)
  return (
    lossFault(conversion.lost, isStrict) ?? { ...conversion, needsMaximum: false, openStream: openNoStream }
  )
}

const elsewhere = 'or route the name to another account'

const noFiles =
  'the provider of this model uses another wire format. Send the content of the file in the request'

const noPrompts = `the provider of this model continues no prompts. Send the prompt as a user message to /model/<model>/converse, ${elsewhere}`

const noImages = `the provider of this model has no images at this path. Send the request to another model, ${elsewhere}`

const otherBatchAccount =
  'another account runs the batch. Send the requests of each account in a separate batch'

const noBackground =
  'the provider of this model stores no responses, so a response that is generated later cannot be metered. Omit the field, or stream the response'

/** Whisper ignores the field `stream` and responds with JSON. */
const noStream = 'the model does not stream. Omit the field stream'

const noTranscriptions = `the provider of this model has no transcription at this path. Send the request to another model, ${elsewhere}`

/** Only embeddings and text completions can be converted for a provider without the task. */
const unconverted: { readonly [task in TaskName]?: string } = {
  completions: `the provider of this model has no text completions. Send the prompt as a user message to /v1/chat/completions, ${elsewhere}`,
  moderations: `the provider of this model has no moderation. Send the text to another model, ${elsewhere}`,
  images: noImages,
  image_edits: noImages,
  speech: `the provider of this model has no speech at this path. Send the request to another model, ${elsewhere}`,
  transcriptions: noTranscriptions,
  translations: noTranscriptions,
  compact: `the provider of this model has no compaction. Send a shorter conversation to /v1/responses, ${elsewhere}`,
  rerank: `the provider of this model has no reranking. Send the request to another model, ${elsewhere}`,
}

function lossFault(lost: readonly string[], isStrict: boolean): Failure | null {
  const [first] = lost
  if (!isStrict || first === undefined) return null
  const reason = `the wire format of this model's provider does not support the field, and this application rejects conversions with losses. Omit ${named(lost)}`
  return new Failure('unsupported_for_route', { reason }, { param: first })
}

function named(fields: readonly string[]): string {
  const more = fields.length - namedMax
  return fields.slice(0, namedMax).join(', ') + (more > 0 ? `, and ${more} more` : '')
}

const namedMax = 20
