/**
 * Lines that a person types at a terminal.
 *
 * Between two questions the terminal is as it was, so that Ctrl-C, Ctrl-Z and what is typed for the shell work as ever;
 * while one waits, keys come as they are pressed. Node's readline takes all that came in one read, also what stands
 * behind the line that was asked for, and forgets it with its question: it gets one line here, and the next question
 * begins with the rest.
 */
import { createInterface } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import { interrupted } from './terminal.ts'

const controlC = 0x03

/** Standard input, where it is a terminal. */
interface Keyboard extends Readable {
  setRawMode(isRaw: boolean): unknown
}

export class TypedLines {
  readonly #typed: Keyboard
  readonly #shown: Writable
  /** What was typed behind the last line that was asked for. */
  #ahead: Uint8Array = new Uint8Array()
  /** A question has no answer yet. */
  #isAsked = false

  /** @param shown gets the questions, and what is typed as it is typed */
  constructor(typed: Keyboard, shown: Writable) {
    this.#typed = typed
    this.#shown = shown
  }

  /**
   * One question at a time.
   * @param isSecret what is typed is not shown
   * @throws CommandError when the signal is aborted, at Ctrl-C, at Ctrl-D, and when the terminal is gone
   */
  async next(question: string, isSecret: boolean, signal: AbortSignal): Promise<string> {
    if (signal.aborted) throw interrupted(signal)
    const typed = this.#typed
    const keys = Object.assign(new Readable({ read() {} }), {
      // Readline sets it once more when `fg` is heard, which may be after the answer.
      setRawMode: (isRaw: boolean) => typed.setRawMode(isRaw && this.#isAsked),
    })
    // What is typed is echoed to `output`, so a secret has one that shows nothing.
    const output = isSecret ? new Writable({ write: (_, __, done) => done() }) : this.#shown
    this.#isAsked = true
    const lines = createInterface({ input: keys, output, terminal: true })
    const ended = Promise.withResolvers<string>()
    // Ctrl-D is no answer: an empty line is one, and may mean yes.
    const leave = (): void => ended.reject(interrupted(signal))
    const take = (piece: Uint8Array): void => {
      // Wherever it stands: a terminal that reads lines, too, lets Ctrl-C pass what was typed before it.
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
      // What is said next is on a line of its own.
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

/** Where the first line ends, with its end. */
function endOfLine(bytes: Uint8Array): number {
  const at = bytes.findIndex((byte) => byte === 0x0a || byte === 0x0d)
  if (at === -1) return bytes.length
  return bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? at + 2 : at + 1
}
