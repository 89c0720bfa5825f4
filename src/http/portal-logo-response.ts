import type { LogoFile } from '#domain/portal-brand.ts'
import { Failure } from '#domain/errors.ts'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import type { Store } from '#domain/store-interface.ts'

/**
 * The headers block scripts, access to other pages, and loading of resources, in case a browser displays the bytes as a
 * document (docs/reference/threats.md "Images that customers upload"). Browsers may cache the logo, because the bytes
 * for a hash never change.
 * @param applicationId the application to which the logo must belong; null for any application
 * @throws Failure not_found, StoreUnavailable
 */
export async function logoAnswer(
  { read }: Store,
  hash: string,
  applicationId: string | null,
  requestId: string,
): Promise<Response> {
  const logo = /^[0-9a-f]{64}$/.test(hash) ? await find(read, hash, applicationId) : null
  if (!logo) throw new Failure('not_found', { resource: 'logo', id: hash.slice(0, 64) })
  return new Response(Buffer.from(logo.bytes), {
    headers: {
      'content-type': logo.mediaType,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-request-id': requestId,
    },
  })
}

async function find(
  { brands }: Store['read'],
  hash: string,
  applicationId: string | null,
): Promise<LogoFile | null> {
  try {
    return await brands.logo(hash, applicationId)
  } catch (cause) {
    throw new StoreUnavailable('read a logo', { cause })
  }
}
