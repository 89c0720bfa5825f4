import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { byteTextOf, textOf } from './byte-text.ts'
import { SseSplitter } from './split-server-sent-events.ts'

function split(text: string, cuts: readonly number[]): { events: string[]; data: string[] } {
  const bytes = byteTextOf(text)
  const splitter = new SseSplitter()
  const events: string[] = []
  const data: string[] = []
  const onEvent: Parameters<SseSplitter['push']>[1] = (event) => {
    events.push(textOf(event.text.slice(event.start, event.end)))
    if (event.dataEnd > event.dataStart) data.push(textOf(event.text.slice(event.dataStart, event.dataEnd)))
  }
  let from = 0
  for (const cut of [...cuts].toSorted((x, y) => x - y)) {
    expect(splitter.push(bytes.slice(from, cut), onEvent)).toBe(true)
    from = cut
  }
  splitter.push(bytes.slice(from), onEvent)
  splitter.end(onEvent)
  return { events, data }
}

describe('SseSplitter', () => {
  const line = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, '')}`),
    fc.string({ maxLength: 8 }).map((text) => `: ${text.replaceAll(/[\r\n]/g, '')}`),
    fc.constant('event: message'),
    fc.constant('data'),
    fc.constant('data:x'),
  )
  const stream = fc
    .array(fc.tuple(fc.array(line, { minLength: 1, maxLength: 3 }), fc.constantFrom('\n', '\r\n', '\r')), {
      maxLength: 6,
    })
    .map((events) =>
      events.map(([lines, ending]) => lines.map((text) => text + ending).join('') + ending).join(''),
    )

  it('the splitter returns the same events for any division into network chunks', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(400), { maxLength: 30 }), (text, cuts) => {
        const length = byteTextOf(text).length
        const inside = cuts.map((cut) => Math.min(cut, length))
        expect(split(text, inside)).toEqual(split(text, []))
      }),
      sampledRuns(5000),
    )
  })

  it('one byte order mark is removed, for any division into network chunks, and a second mark is kept', () => {
    const text = '\ufeffdata: {"a":1}\n\ndata: {"b":1}\r\n\r\n'
    for (const cuts of [[], [1], [2], [3], [1, 2, 3, 4]]) {
      const { events, data } = split(text, cuts)
      expect(data).toEqual(['{"a":1}', '{"b":1}'])
      expect(events.join('')).toBe(text.slice(1))
    }
    expect(split(`\ufeff${text}`, [1, 4]).data).toEqual(['{"b":1}'])
    expect(split('\ufeff', []).events).toEqual([])
    expect(split('\u00efdata: 1\n\n', [1]).events).toEqual(['\u00efdata: 1\n\n'])
  })

  it('events with one line of data are forwarded byte for byte', () => {
    const text = ': hi\r\n\r\ndata: {"a":1}\n\nevent: x\ndata:{"é":2}\r\n\r\ndata: [DONE]\n\n'
    const { events, data } = split(text, [1, 9, 10, 22, 40])
    expect(events.join('')).toBe(text)
    expect(data).toEqual(['{"a":1}', '{"é":2}', '[DONE]'])
  })

  it('the data after an event name is found, for any line ending', () => {
    const text =
      'event: a\ndata: {"a":1}\n\nevent: b\rdata: {"b":1}\r\revent: c\r\ndata: {"c":1}\r\n\r\n' +
      'event: d\rdata: [\ndata: 4]\n\nevent: e\n\nid: 5\nevent: f\ndata:6\n\n'
    const wanted = ['{"a":1}', '{"b":1}', '{"c":1}', '[ 4]', '6']
    expect(split(text, []).data).toEqual(wanted)
    expect(
      split(
        text,
        Array.from({ length: text.length }, (_, at) => at),
      ).data,
    ).toEqual(wanted)
  })

  it('the name of an event whose data has several lines is kept', () => {
    const { events, data } = split('event: a\ndata: {"a":\nid: 7\ndata: 1}\n\n', [])
    expect(events).toEqual(['event: a\nid: 7\ndata: {"a": 1}\n\n'])
    expect(data).toEqual(['{"a": 1}'])
  })

  it('several lines of data are joined into one', () => {
    expect(split('data: {"a":\ndata: 1}\n\n', [8]).data).toEqual(['{"a": 1}'])
  })

  it('the last event is forwarded even if no empty line follows it', () => {
    expect(split('data: [DONE]', []).data).toEqual(['[DONE]'])
    expect(split('data: [DONE]\n', [3]).data).toEqual(['[DONE]'])
  })

  it('an event over 16 MiB is rejected, and an event that arrives byte by byte is not searched again for each byte', () => {
    const splitter = new SseSplitter()
    const piece = 'a'.repeat(1024 * 1024)
    const answers = Array.from({ length: 17 }, () => splitter.push(piece, () => {}))
    expect(answers.slice(0, 16).every(Boolean)).toBe(true)
    expect(answers[16]).toBe(false)
    withinCpu(2000, () => {
      const slow = new SseSplitter()
      for (let i = 0; i < 500_000; i++) slow.push('a', () => {})
    })
  })
})
