import { storeLocation, type StoreLocation } from '#app/store-location.ts'

/**
 * Runs a command on the store that `--data` and DATABASE_URL select. An error is printed as a sentence, with exit code
 * 2.
 */
export async function runOnStore(
  command: string,
  data: string | undefined,
  work: (location: StoreLocation) => Promise<void>,
  environment = process.env,
): Promise<void> {
  try {
    await work(storeLocation(environment, data))
  } catch (cause) {
    console.error(`tollgate ${command}: ${sentenceOf(cause)}`)
    process.exitCode = 2
  }
}

/** Returns the error with its causes, such as "migrate the store to version 2 (limits): database is locked". */
function sentenceOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const below = cause.cause instanceof Error && !cause.message.includes(cause.cause.message)
  return below ? `${cause.message}: ${sentenceOf(cause.cause)}` : cause.message
}
