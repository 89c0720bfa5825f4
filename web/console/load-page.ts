/**
 * If the script of a page can't be loaded, the router reloads the document, because an update may have replaced the
 * script. If the server is unreachable, the reload would replace the console with an error page of the browser.
 */
import { ConnectionError } from '#sdk/errors.ts'

/** @throws ConnectionError if the server is unreachable. The router shows this error on the page. */
export async function loadPage<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (await isServerReachable()) throw error
    throw new ConnectionError('The page could not be loaded.', { cause: error })
  }
}

export async function isServerReachable(): Promise<boolean> {
  try {
    await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(waitMs) })
    return true
  } catch {
    return false
  }
}

const waitMs = 10_000
