import { expect, it } from 'vitest'
import { derivedSecret } from './secret-derived-from-master-key.ts'
import { keyRing, newMasterKey } from './encrypt-stored-secrets.ts'

it('a derived secret changes if the current master key or the purpose changes, and never otherwise', () => {
  const [one, other] = [newMasterKey(), newMasterKey()]
  const secret = derivedSecret(keyRing(one), 'a')
  expect(secret).toMatch(/^[\w+/]{43}=$/)
  expect(derivedSecret(keyRing(`${one},${other}`), 'a')).toBe(secret)
  expect(derivedSecret(keyRing(`${other},${one}`), 'a')).not.toBe(secret)
  expect(derivedSecret(keyRing(one), 'b')).not.toBe(secret)
})
