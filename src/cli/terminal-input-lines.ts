/**
 * Reads lines that are typed at a terminal.
 *
 * Between two questions, the terminal is in its normal mode, so that Ctrl-C, Ctrl-Z and typing for the shell work.
 * While a question waits for its answer, each key press arrives immediately. Node's readline reads all text that has
 * arrived, and discards text after the requested line. This class therefore passes only one line to readline, and keeps
 * the rest for the next question.
 */
import { createInterface } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import { interrupted } from './terminal-interface.ts'

const controlC = 0x03

interface Keyboard extends Readable {
  setRawMode(isRaw: boolean): unknown
}

export class TypedLines {
  readonly #typed: Keyboard
  readonly #shown: Writable
  /** Text that was typed after the last requested line. */
  #ahead: Uint8Array = new Uint8Array()
  #isAsked = false

  constructor(typed: Keyboard, shown: Writable) {
    this.#typed = typed
    this.#shown = shown
  }

  /**
   * Asks one question at a time.
   * @throws CommandError if the signal is aborted, if the user presses Ctrl-C or Ctrl-D, or if the terminal closes
   */
  async next(question: string, isSecret: boolean, signal: AbortSignal): Promise<string> {
    if (signal.aborted) throw interrupted(signal)
    const typed = this.#typed
    const keys = Object.assign(new Readable({ read() {} }), {
      // After `fg`, readline sets the raw mode again. If the question is already answered, keep the normal mode.
      setRawMode: (isRaw: boolean) => typed.setRawMode(isRaw && this.#isAsked),
    })
    // Readline echoes typed text to `output`, so `output` shows nothing for a secret.
    const output = isSecret ? new Writable({ write: (_, __, done) => done() }) : this.#shown
    this.#isAsked = true
    const lines = createInterface({ input: keys, output, terminal: true })
    const ended = Promise.withResolvers<string>()
    // Ctrl-D is not an answer. An empty line is an answer, and may mean yes.
    const leave = (): void => ended.reject(interrupted(signal))
    const take = (piece: Uint8Array): void => {
      // Check all received text for Ctrl-C, because a terminal in line mode also sends the text that was typed before
      // it.
      if (piece.includes(controlC)) return leave()
      this.#ahead = Buffer.concat([this.#ahead, piece])
      while (this.#isAsked && this.#ahead.length > 0) {
        const line = this.#ahead.subarray(0, endOfLine(this.#ahead))
        this.#ahead = this.#ahead.subarray(line.length)
        keys.emit('data', line)
      }
    }
    if (isSecret) this.#shown.write(question)
    lines.question(isSecret ? '' : question, (line) => {
      this.#isAsked = false
      ended.resolve(line)
    })
    lines.once('close', leave)
    signal.addEventListener('abort', leave, { once: true })
    typed.once('end', leave)
    typed.on('data', take).resume()
    take(new Uint8Array())
    if (typed.readableEnded) leave()
    try {
      const line = await ended.promise
      if (isSecret) this.#shown.write('\n')
      return line
    } catch (error) {
      this.#shown.write('\n')
      throw error
    } finally {
      this.#isAsked = false
      typed.off('data', take).off('end', leave).pause()
      signal.removeEventListener('abort', leave)
      lines.close()
    }
  }
}

function endOfLine(bytes: Uint8Array): number {
  const at = bytes.findIndex((byte) => byte === 0x0a || byte === 0x0d)
  if (at === -1) return bytes.length
  return bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? at + 2 : at + 1
}
