import { openMasterKey } from '#domain/secrets/master-key.ts'
import { decrypt, encryptionKeyId, type KeyRing } from '#domain/secrets/encrypt-stored-secrets.ts'
import type { Logger } from '#domain/log-interface.ts'
import type { Config } from './server-configuration.ts'
import type { OpenStore } from './open-store.ts'

/** @throws if the master key cannot decrypt the stored credentials */
export async function masterKeyRing(config: Config, store: OpenStore, log: Logger): Promise<KeyRing> {
  const { emitters, providers } = store.rows.read
  const sealed = [...(await providers.sealedCredentials()), ...(await emitters.sealedSecrets(Date.now()))]
  const needed = new Set(sealed.map((text) => encryptionKeyId(text) ?? 'an unknown key'))
  const { notes, ring } = openMasterKey(config.dataFolder, config.masterKey, {
    needed: [...needed],
    isLost: config.isMasterKeyLost,
  })
  for (const note of notes) log.warn({ keyId: ring.currentId }, note)
  return ring
}

/** A secret that all processes of an installation share: the current master key. */
export function sharedSecret({ currentId, keys }: KeyRing): Buffer {
  return keys.get(currentId) ?? Buffer.from(currentId)
}

/**
 * @param what names the secret in the error
 * @throws if another master key encrypted the secret
 */
export function openSealed(
  ring: KeyRing,
  sealed: string,
  { what, ...owner }: { readonly what: string; readonly organizationId: string; readonly id: string },
): string {
  const text = decrypt(ring, sealed, owner)
  if (text === null) throw new Error(`the stored ${what} cannot be decrypted with this master key`)
  return text
}
