import { wireOf } from '#wire/names-of-wires-and-tasks.ts'
import { printValue, type JsonObject } from '#wire/text/json-values.ts'
import { withMedia } from '#wire/large-body-to-values.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { fit } from '#convert/capabilities/adapt-request-to-wire.ts'
import type { Destination } from '#convert/capabilities/capability-type.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { AnswerDecoder, DecoderOptions, RequestTarget } from './codec-interface.ts'
import { codecs } from './table-of-codecs.ts'
import type { NeutralEvent, NeutralRequest } from './neutral-format.ts'
import { isFault, type RequestFault, type WireRequest } from '#wire/wire-request.ts'
import { ToolNames } from './replace-and-restore-tool-names.ts'

export interface Conversion {
  /** Has the sampling options that apply at the provider, for the encoder of the response. */
  readonly request: NeutralRequest
  /** The fields have the names of the client's wire. */
  readonly lost: readonly string[]
  /** The gateway applies these stop sequences, because the provider does not support them (stop-sequence-filter.ts). */
  readonly stops: readonly string[]
  /** The client's maximum output, or the smallest maximum output that the provider's wire accepts. */
  readonly outputTokensMax: number | null
  readonly body: (limits: OutputLimits) => ByteText
  readonly decoder: (options: DecoderOptions) => AnswerDecoder
  readonly decodeAnswer: (body: JsonObject, options: DecoderOptions) => readonly NeutralEvent[] | null
}

export type OutputLimits = Pick<RequestTarget, 'outputTokensMax' | 'outputTokensDefault'>

/** @param to the wire must differ from the wire of the request */
export function prepareConversion(request: WireRequest, to: Destination): Conversion | RequestFault {
  const wire = wireOf(request.wire)
  const asked = codecs[wire].readRequest(request)
  if (isFault(asked)) return asked
  const fitted = fit(asked, wire, to)
  if (isFault(fitted)) return fitted
  const names = new ToolNames(asked, fitted.request, to)
  const written = names.apply(fitted.request)
  const format = codecs[to.wire]
  return {
    // Use the sampling options that are sent to the provider. A requested temperature that was dropped or reduced does
    // not apply to the answer.
    request: { ...asked, sampling: fitted.request.sampling },
    lost: fitted.lost,
    stops: [...new Set(asked.stop).difference(new Set(fitted.request.stop))],
    outputTokensMax: fitted.request.outputTokensMax,
    body: (limits) => {
      const body = withMedia(printValue(format.writeRequest(written, { ...to, ...limits })), request)
      if (body !== null) return body
      const again = prepareConversion(withoutValues(request), to)
      assertConverted(again)
      return again.body(limits)
    },
    decoder: (options) => new RestoringDecoder(format.decoder(options), names),
    decodeAnswer: (body, options) => {
      const events = format.decodeAnswer(body, options)
      const restorer = names.restorer()
      return events?.flatMap((event) => restorer.pass(event)) ?? null
    },
  }
}

function withoutValues(request: WireRequest): WireRequest {
  const { values, ...rest } = request
  return values === undefined ? request : rest
}

function assertConverted(prepared: Conversion | RequestFault): asserts prepared is Conversion {
  if (isFault(prepared)) throw new Error('a request converts without its media and not with them')
}

class RestoringDecoder implements AnswerDecoder {
  readonly #decoder: AnswerDecoder
  readonly #restorer: ReturnType<ToolNames['restorer']>

  constructor(decoder: AnswerDecoder, names: ToolNames) {
    this.#decoder = decoder
    this.#restorer = names.restorer()
  }

  get isOver(): boolean {
    return this.#decoder.isOver
  }

  get isFailing(): boolean {
    return this.#decoder.isFailing === true
  }

  get inputUsage(): Usage | null {
    return this.#decoder.inputUsage ?? null
  }

  push(frame: JsonObject): readonly NeutralEvent[] {
    return this.#restored(this.#decoder.push(frame))
  }

  end(isMarked?: boolean): readonly NeutralEvent[] {
    return this.#restored(this.#decoder.end(isMarked))
  }

  #restored(events: readonly NeutralEvent[]): readonly NeutralEvent[] {
    const [first] = events
    // Return early: nearly every event is one piece of text, which needs no change.
    if (events.length === 1 && (first?.kind === 'text' || first?.kind === 'reasoning')) return events
    return events.flatMap((event) => this.#restorer.pass(event))
  }
}
