import { contextTokensMax } from '#wire/bound/assumed-token-maxima.ts'
import { isNamed, SoundBounds, soundTokensPerSecond } from '#wire/bound/sound-bounds.ts'
import { soundFormat, soundSecondsInSteps } from '#wire/bound/sound-length.ts'
import { factsOfForm, formOf, isOn, valueOf, type Form } from '#wire/form/request-in-form.ts'
import { textOf } from '#wire/text/byte-text.ts'
import type { FormPart } from '#wire/text/form-parts.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import type { Steps } from '#wire/text/computation-with-pauses.ts'
import {
  isFault,
  mustBe,
  refuseForRoute,
  unlessRefused,
  type RequestBody,
  type RequestFault,
  type RequestPath,
  type WireRequest,
} from '#wire/wire-request.ts'
import { silence } from './silent-wav-file.ts'

/** Transcripts are in the language of the sound (`transcriptions`) or in English (`translations`). */
export type TranscriptionName = 'transcriptions' | 'translations'

/** Pauses after each megabyte of the sound (docs/reference/wires.md "Transcriptions"). */
export function* readTranscription(
  wire: TranscriptionName,
  body: RequestBody,
  path: RequestPath,
): Steps<WireRequest | RequestFault> {
  const form = formOf(body, path, fileNames, { name: 'file', filename: 'silence.wav', value: silence })
  if (isFault(form)) return form
  const [file] = form.files
  const length = file === undefined ? null : yield* lengthOf(form, file)
  return unlessRefused(() => parse(wire, form, length))
}

interface Length {
  /** Maximum number of seconds that a decoder may find. */
  readonly secondsMax: number
  /** Probable number of seconds, or the exact number if the length is known. */
  readonly seconds: number
}

function* lengthOf({ text }: Form, { end, filename, start }: FormPart): Steps<Length> {
  const file = Buffer.from(text.slice(start, end), 'latin1')
  const format = soundFormat(file)
  const extension = /\.(?<extension>\w{1,8})$/.exec(filename ?? '')?.groups?.extension
  // A decoder that relies on the stated format may find other frames in the data than a decoder that detects the
  // format.
  const isAsStated = format !== null && (extension === undefined || isNamed(format, extension))
  const read = isAsStated ? yield* soundSecondsInSteps(file, format, file.length) : null
  if (read !== null) return { secondsMax: read, seconds: read }
  // If the length is unknown, each byte of the sound counts as one token.
  return { secondsMax: file.length / soundTokensPerSecond, seconds: file.length / usualBytesPerSecond }
}

function parse(wire: TranscriptionName, form: Form, length: Length | null): WireRequest {
  const facts = factsOfForm(form, settings)
  for (const name of elsewhere)
    if (valueOf(form, name) !== null)
      refuseForRoute(name, 'the length of its audio is not known. Send the file')
  if (length === null) return mustBe('file', 'a file')
  const references = new SoundBounds()
  for (const { end, name, start } of form.fields)
    if (name === referencesName)
      references.add(() => textOf(form.text.slice(start, end)), Math.ceil(((end - start) * 3) / 4), null)
  const audioTokens = Math.ceil(length.secondsMax * soundTokensPerSecond) + frameTokens
  const mediaEstimate = Math.ceil(length.seconds * usualTokensPerSecond)
  const format = valueOf(form, 'response_format') ?? 'json'
  const isStream = isOn(form, 'stream')
  return {
    ...facts,
    wire,
    isStream,
    ...(!isStream && plainFormats.has(format) && { responseType: 'text/plain; charset=utf-8' }),
    audioTokensMax: Math.min(audioTokens + references.total(), contextTokensMax),
    images: null,
    inputEstimate: facts.inputEstimate + mediaEstimate,
    mediaEstimate,
    uses: {
      audioSeconds: wholeSeconds(length.secondsMax),
      output: Math.min(
        shortestTokens + Math.ceil(length.secondsMax * outputTokensPerSecond),
        contextTokensMax,
      ),
    },
    usualUses: { audioSeconds: wholeSeconds(length.seconds) },
  }
}

/**
 * Ignores fractions below a millionth of a second, which rounding errors cause when the lengths of frames are added up.
 */
function wholeSeconds(seconds: number): number {
  return Math.ceil(Number(seconds.toFixed(6)))
}

const fileNames: ReadonlySet<string> = new Set(['file'])

/** Recordings of known speakers, as data URLs. */
const referencesName = 'known_speaker_references[]'

/** In these fields, some servers accept an address or an ID instead of the file. */
const elsewhere = ['url', 'file_url', 'file_id', 'audio_url'] as const

export const settings = nameSet(`
  model svc stream response_format temperature language languages languages[] timestamp_granularities
  timestamp_granularities[] include include[] chunking_strategy chunking_strategy[type]
  chunking_strategy[prefix_padding_ms] chunking_strategy[silence_duration_ms] chunking_strategy[threshold] diarize
  ${referencesName}
`)

const plainFormats: ReadonlySet<string> = new Set(['text', 'srt', 'vtt'])

/** OpenAI counts 10 tokens per second of sound. */
const usualTokensPerSecond = 10
/** A provider may add marks to a sound. */
const frameTokens = 16
/** The number of bytes per second of sound, at 32 kbit/s. */
const usualBytesPerSecond = 4_000
/** Added to the bound of each sound, however short the sound is (docs/reference/tokens.md). */
const shortestTokens = 2_000
const outputTokensPerSecond = 32
