import type { SetupLink } from '#domain/people/member-records.ts'
import { randomText } from '#domain/secrets/random-link-and-cookie-secrets.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { linkWith } from '#operations/kernel/invitation-and-setup-links.ts'
import type { Ports } from '#operations/kernel/dependencies-of-operations.ts'
import { hourMs } from '#money/periods-and-windows.ts'

/** The link works once and expires after an hour. */
export function newSetupLink(
  organizationId: string,
  nowMs: number,
  ports: Pick<Ports, 'randomByte' | 'baseUrl'>,
): { readonly link: SetupLink; readonly url: string } {
  const secret = randomText(ports)
  const link = { organizationId, hash: sha256(secret), expiresAtMs: nowMs + hourMs }
  return { link, url: linkWith('setup', secret, ports) }
}
