import { storeLocation, type StoreLocation } from '#app/store-location.ts'

/** An error is printed as a sentence, with exit code 2. */
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

/** A sentence with the causes of the error, for example the SQL error of a failed migration. */
export function sentenceOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const below = cause.cause instanceof Error && !cause.message.includes(cause.cause.message)
  return below ? `${cause.message}: ${sentenceOf(cause.cause)}` : cause.message
}
