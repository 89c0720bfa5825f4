/**
 * A cookie that marks browsers in which a member has signed in (OWASP, "Slow Down Online Guessing Attacks with Device
 * Cookies"). The format is `<member>.<issued at, seconds in base 36>.<nonce>.<HMAC-SHA256 of the other parts>`.
 *
 * The cookie grants no access. Password sign-ins with the account's cookie have a separate queue and a separate count
 * of wrong attempts. Strangers who guess the password therefore cannot lock out or slow down the owner
 * (domain/people/hash-and-check-passwords.ts).
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { dayMs } from '#money/periods-and-windows.ts'
import type { KnownDevice } from '#operations/kernel/operation-context.ts'
import { cookieOf, sessionCookie } from './session-cookie-and-csrf.ts'

export const deviceCookieName = '__Host-tollgate_device'

const lifeMs = 180 * dayMs
/** Longer than every ID and time. */
const lengthMax = 256

export class DeviceCookies {
  readonly #key: Buffer

  /** @param secret shared by all processes of the installation */
  constructor(secret: Uint8Array) {
    this.#key = createHmac('sha256', secret).update('device cookies').digest()
  }

  /** @param nonce characters that a cookie accepts unescaped, without dots */
  issue({ memberId, nonce }: KnownDevice, nowMs: number): string {
    const text = `${memberId}.${Math.floor(nowMs / 1000).toString(36)}.${nonce}`
    return sessionCookie(deviceCookieName, `${text}.${this.#macOf(text)}`, lifeMs / 1000)
  }

  /** Null if there is no cookie, or if the cookie is forged or too old. */
  read(headers: Headers, nowMs: number): KnownDevice | null {
    const cookie = cookieOf(headers, deviceCookieName)
    if (cookie === null || cookie.length > lengthMax) return null
    const [memberId = '', issued = '', nonce = '', mac = '', ...rest] = cookie.split('.')
    const right = Buffer.from(this.#macOf(`${memberId}.${issued}.${nonce}`))
    const sent = Buffer.from(mac)
    if (rest.length > 0 || sent.length !== right.length || !timingSafeEqual(sent, right)) return null
    const ageMs = nowMs - Number.parseInt(issued, 36) * 1000
    return ageMs < lifeMs ? { memberId, nonce } : null
  }

  #macOf(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url')
  }
}
