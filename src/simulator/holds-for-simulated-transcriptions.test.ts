/** No simulated transcription may cost more than the gateway holds for it. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { formText } from '#wire/text/form-parts.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { transcriptions } from '#wire/transcriptions/wire.ts'
import { isFault } from '#wire/wire-request.ts'

const wavs = fc
  .record({
    format: fc.constantFrom(1, 3, 7, 0xfffe),
    channels: fc.integer({ min: 0, max: 8 }),
    rate: fc.constantFrom(0, 1, 8_000, 16_000, 44_100, 192_000),
    bits: fc.constantFrom(0, 4, 8, 16, 24, 32),
    blockBytes: fc.option(fc.integer({ min: 0, max: 64 })),
    bytes: fc.integer({ min: 0, max: 200_000 }),
  })
  .map(({ bits, blockBytes, bytes, channels, format, rate }) => {
    const head = Buffer.alloc(44)
    head.write('RIFF\0\0\0\0WAVEfmt ', 'latin1')
    head.writeUInt16LE(format, 20)
    head.writeUInt16LE(channels, 22)
    head.writeUInt32LE(rate, 24)
    head.writeUInt16LE(blockBytes ?? (channels * bits) / 8, 32)
    head.writeUInt16LE(bits, 34)
    return Buffer.concat([head, Buffer.alloc(bytes)])
  })

/** Silent MPEG frames of 26 milliseconds, followed by the bytes of a picture. */
const mp3s = fc
  .tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 100_000 }))
  .map(([frames, picture]) => {
    const frame = Buffer.alloc(417)
    frame.writeUInt32BE(0xfffb9064)
    return Buffer.concat([...Array.from({ length: frames }, () => frame), Buffer.alloc(picture)])
  })

const others = fc.uint8Array({ minLength: 1, maxLength: 5_000 }).map((bytes) => Buffer.from(bytes))

test('no simulated transcription costs more than the gateway holds for it', () => {
  fc.assert(
    fc.property(
      fc.oneof(wavs, mp3s, others),
      fc.constantFrom('whisper-1', 'gpt-4o-transcribe'),
      fc.string({ unit: 'grapheme', maxLength: 3_000 }),
      (file, model, prompt) => {
        const parts = [
          { name: 'model', value: model },
          { name: 'prompt', value: byteTextOf(prompt) },
          { name: 'file', filename: 'sound', value: file.toString('latin1') },
        ]
        const text = formText('simple', parts)
        const request = transcriptions.parseRequest(text, {
          model: null,
          isStream: false,
          isJsonArray: false,
          boundary: 'simple',
        })
        if (isFault(request)) throw new Error(request.reason)
        const { body, status } = play('transcriptions', {}, { model, body: Buffer.from(text, 'latin1') })
        expect(status).toBe(200)
        // oxlint-disable-next-line typescript/no-explicit-any -- a test looks at what is there
        const usage = body['usage'] as any
        if (model === 'whisper-1') {
          expect(usage.seconds).toBeLessThanOrEqual(request.uses?.audioSeconds ?? 0)
          return
        }
        const { audio_tokens: audio, text_tokens: texts } = usage.input_token_details
        expect(audio).toBeLessThanOrEqual(request.audioTokensMax)
        expect(texts).toBeLessThanOrEqual(request.textTokensMax)
        expect(usage.output_tokens).toBeLessThanOrEqual(request.uses?.output ?? 0)
      },
    ),
    { numRuns: 300 },
  )
})
