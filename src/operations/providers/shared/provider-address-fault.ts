import { isPrivateUrl, outboundFault } from '#domain/network/check-outbound-address.ts'
import type { Ports } from '#operations/kernel/dependencies-of-operations.ts'

/** Returns the end of a sentence: why this server sends no requests to the URL. */
export function addressFault(
  url: string,
  { allowPrivateProviders: allowPrivate, isOwnUrl }: Pick<Ports, 'allowPrivateProviders' | 'isOwnUrl'>,
): string | null {
  const policy = { allowPrivate }
  const fault = outboundFault(url, policy)
  const isForPrivate = !policy.allowPrivate && isPrivateUrl(url)
  if (isForPrivate && outboundFault(url, { allowPrivate: true }) === null) {
    return 'it is in a private network, to which this server sends no requests; the operator can allow it with TOLLGATE_ALLOW_PRIVATE_PROVIDERS=true, for example for Ollama or vLLM'
  }
  if (fault !== null) return fault
  return isOwnUrl(url) ? 'it is an address of this server, so requests would form a loop' : null
}
