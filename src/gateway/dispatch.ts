import { Failure } from '#domain/errors.ts'
import { wiresOf } from '#domain/provider-kinds.ts'
import type { UpstreamWire } from '#domain/upstream.ts'
import type { AnswerStream, WholeAnswer } from '#wire/answer.ts'
import type { ByteText } from '#wire/byte-text.ts'
import { formats } from '#wire/formats.ts'
import { upstreamBody } from '#wire/request.ts'
import type { WireRequest } from '#wire/request.ts'
import type { Plan } from './configuration.ts'
import type { Call } from './open-call.ts'

/** How a request is put to its provider, and its answer to the client. */
export interface Dispatch {
  /** What the provider is spoken to in. */
  readonly wire: UpstreamWire
  /** Fields of the request that the provider's wire has no place for. */
  readonly lost: readonly string[]
  /** The provider's wire demands a maximum and the client has set none: the one that is held for is sent. */
  readonly needsMaximum: boolean
  /** @param outputTokensMax the clamped maximum per choice; null leaves the client's alone */
  body(model: string, outputTokensMax: number | null): ByteText
  openStream(): AnswerStream
  /** Null: what came is no answer. */
  readAnswer(text: ByteText): WholeAnswer | null
}

/** To a provider that speaks the client's own wire: the bytes go through. A class, since every call makes one. */
class PassThrough implements Dispatch {
  readonly lost: readonly string[] = []
  readonly needsMaximum = false
  readonly #request: WireRequest

  constructor(request: WireRequest) {
    this.#request = request
  }

  get wire(): UpstreamWire {
    return this.#request.wire
  }

  body(model: string, outputTokensMax: number | null): ByteText {
    return upstreamBody(this.#request, model, outputTokensMax)
  }

  openStream(): AnswerStream {
    return formats[this.#request.wire].openStream(this.#request)
  }

  readAnswer(text: ByteText): WholeAnswer | null {
    return formats[this.#request.wire].readAnswer(text, this.#request)
  }
}

/** @throws Failure `unsupported_for_route` where the provider's wire cannot be asked what the client asks */
export function dispatchOf(_call: Call, request: WireRequest, plan: Plan): Dispatch {
  const wires = wiresOf(plan.account.kind)
  const wire = wires.includes(request.wire) ? request.wire : wires[0]
  if (wire === request.wire) return new PassThrough(request)
  throw new Failure(
    'unsupported_for_route',
    { reason: `its provider speaks ${String(wire)} and not ${request.wire}` },
    { param: 'model' },
  )
}
