import { getEventListeners } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { TypedLines } from './terminal-input-lines.ts'

let typed: PassThrough & { setRawMode(isRaw: boolean): void }
let shown: string
let isRaw: boolean
let lines: TypedLines
let leaving: AbortController
beforeEach(() => {
  shown = ''
  isRaw = false
  leaving = new AbortController()
  typed = Object.assign(new PassThrough(), { setRawMode: (is: boolean) => void (isRaw = is) })
  const screen = new Writable({
    write(piece, _, done) {
      shown += String(piece)
      done()
    },
  })
  lines = new TypedLines(typed, screen)
})

const ask = (question: string, isSecret = false): Promise<string> =>
  lines.next(question, isSecret, leaving.signal)

describe('text that the user types before a question', () => {
  it.each([
    ['lines that the Enter key ends', ['one\rtwo\rthree\r']],
    ['lines that end like those of a text file', ['one\ntwo\nthree\n']],
    ['lines that end with carriage return and line feed', ['one\r\ntwo\r\nthree\r\n']],
    ['a read that ends within a line', ['one\rtw', 'o\rth', 'ree\r']],
    ['a read that begins with the end of a line', ['one\r', 'two\rthree', '\r']],
  ])('each line answers the next question: %s', async (_, pieces) => {
    for (const piece of pieces) typed.write(piece)
    expect(await ask('first? ')).toBe('one')
    await turn()
    expect(await ask('second? ')).toBe('two')
    expect(await ask('third? ')).toBe('three')
    expect([isRaw, typed.isPaused()]).toEqual([false, true])
  })

  it('text that is typed between two questions is kept for the next question', async () => {
    typed.write('one\r')
    expect(await ask('first? ')).toBe('one')
    typed.write('two\r')
    await turn()
    expect(await ask('second? ')).toBe('two')
  })

  it('an empty line is an empty answer', async () => {
    typed.write('\r\rthree\r')
    expect([await ask('first? '), await ask('second? '), await ask('third? ')]).toEqual(['', '', 'three'])
  })

  it('a line is read completely, even if a character arrives in two reads, or if the user presses special keys', async () => {
    const bytes = Buffer.from('Café\rß\u001b\rx\r')
    typed.write(bytes.subarray(0, 4))
    typed.write(bytes.subarray(4))
    expect(await ask('first? ')).toBe('Café')
    // Alt with Enter does not end the line.
    expect(await ask('second? ')).toBe('ßx')
  })

  it('the typed text is shown after the question, unless the answer is a secret', async () => {
    typed.write('one\rhidden\rthree\r')
    await ask('first? ')
    expect(shown).toContain('one')
    expect(shown).not.toContain('hidden')
    expect(await ask('second? ', true)).toBe('hidden')
    await ask('third? ')
    expect(shown).not.toContain('hidden')
    // oxlint-disable-next-line no-control-regex -- sequences that move the cursor
    expect(shown.replaceAll(/\u001b\[\d*\w/g, '')).toBe('first? one\r\nsecond? \nthird? three\r\n')
  })
})

describe('the wait for an answer', () => {
  const refusal = { message: 'Interrupted.', exitCode: 130 }

  it('if the signal was aborted before the question, the question is not shown', async () => {
    leaving.abort()
    typed.write('one\r')
    await expect(ask('first? ')).rejects.toMatchObject(refusal)
    expect(shown).toBe('')
  })

  it('an abort signal during the question interrupts the wait and restores the terminal', async () => {
    const asked = ask('first? ')
    expect(isRaw).toBe(true)
    leaving.abort()
    await expect(asked).rejects.toMatchObject(refusal)
    expect([isRaw, typed.isPaused(), shown.endsWith('\n')]).toEqual([false, true, true])
  })

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-C behind an answer, in one read', 'yes\r\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('interrupted by %s', async (_, keys) => {
    typed.write(keys)
    await expect(ask('first? ')).rejects.toMatchObject(refusal)
    expect(isRaw).toBe(false)
  })

  it('closing the terminal interrupts the wait, but text that was typed before still counts as the answer', async () => {
    const asked = ask('first? ')
    typed.end('one\rtwo\r')
    expect(await asked).toBe('one')
    expect(await ask('second? ')).toBe('two')
    await expect(ask('third? ')).rejects.toMatchObject(refusal)
    await expect(ask('fourth? ')).rejects.toMatchObject(refusal)
  })
})

it('after the answer, all listeners are removed', async () => {
  const before = typed.eventNames().map((name) => [name, typed.listenerCount(name)])
  for (let at = 0; at < 20; at++) {
    typed.write('one\r')
    // oxlint-disable-next-line no-await-in-loop -- one question after the other
    await ask('again? ')
  }
  expect(typed.eventNames().map((name) => [name, typed.listenerCount(name)])).toEqual(before)
  expect(getEventListeners(leaving.signal, 'abort')).toEqual([])
})
