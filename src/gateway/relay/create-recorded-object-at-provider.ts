import type { OwnedFiles } from '#domain/accounts/files-stored-at-providers.ts'
import { Failure } from '#domain/errors.ts'
import { ProviderFailure } from './failure-with-provider-error.ts'

/**
 * `begin` must already have recorded the planned creation in the store. If the creation fails, the record is deleted.
 * If the provider may have created the object despite the failure, the record is kept, and the log informs the
 * operator.
 * @throws the error of `create`
 */
export async function createAtProvider<T>(
  files: OwnedFiles,
  begunId: string,
  create: () => Promise<T>,
): Promise<T> {
  try {
    return await create()
  } catch (cause) {
    await files.abandon(begunId, mayHaveCreated(cause))
    throw cause
  }
}

/** A provider creates nothing if it returns an error, or if it cannot be reached. */
function mayHaveCreated(cause: unknown): boolean {
  if (!(cause instanceof Failure)) return true
  return (
    !(cause instanceof ProviderFailure) &&
    cause.operatorDetails.phase !== 'connect' &&
    cause.details.phase !== 'connect'
  )
}
