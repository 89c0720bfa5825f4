import { createTransport } from 'nodemailer'
import type { Logger } from '#domain/log-interface.ts'
import type { Mail } from '#domain/people/mail-sender.ts'
import type { Config } from './server-configuration.ts'

const timeoutMs = 15_000

export function smtpMail({ from, url }: NonNullable<Config['smtp']>, log: Logger): Mail {
  const transport = createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ subject, text, to }) {
      try {
        await transport.sendMail({ from, to, subject, text })
      } catch (cause) {
        // The messages of the error may repeat the address or the mail, so log only its codes.
        const { code = null, responseCode = null } = cause as { code?: unknown; responseCode?: unknown }
        log.warn({ code, responseCode }, 'the mail server did not accept an email')
        throw cause
      }
    },
  }
}
