/**
 * A software authenticator according to https://www.w3.org/TR/webauthn-2/ ("Authenticator Data", "None Attestation
 * Statement Format"). The authenticator signs with Ed25519, so that the same input gives the same response.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { NewCredential, UsedCredential } from '#domain/people/passkeys.ts'

interface Ceremony {
  readonly challenge: string
  readonly origin?: string
  readonly rpId?: string
  readonly isPersonVerified?: boolean
}

const here = { origin: 'http://localhost:8080', rpId: 'localhost', isPersonVerified: true }
/** The beginning of an Ed25519 key in PKCS #8, before the 32 bytes of the key. */
const keyHead = Buffer.from('302e020100300506032b657004220420', 'hex')

export class SoftAuthenticator {
  readonly #key: KeyObject
  readonly #id: Buffer
  /** The signature counter, which is the number of uses so far. Tests may lower the counter. */
  counter = 0

  constructor(name = 'authenticator') {
    const seed = createHash('sha256').update(name).digest()
    this.#key = createPrivateKey({ key: Buffer.concat([keyHead, seed]), format: 'der', type: 'pkcs8' })
    this.#id = createHash('sha256').update(`id of ${name}`).digest()
  }

  get id(): string {
    return this.#id.toString('base64url')
  }

  get publicKey(): string {
    return this.#coseKey().toString('base64url')
  }

  make(ceremony: Ceremony): NewCredential {
    const { clientData, flags, rpId } = read('webauthn.create', ceremony)
    const credential = Buffer.concat([Buffer.alloc(16), uint16(this.#id.length), this.#id, this.#coseKey()])
    const authData = Buffer.concat([authDataOf(rpId, flags | 0x40, this.counter), credential])
    const attestation = cborMap([
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap([])],
      [cborText('authData'), cborBytes(authData)],
    ])
    return {
      id: this.id,
      clientDataJson: clientData.toString('base64url'),
      attestationObject: attestation.toString('base64url'),
    }
  }

  use(ceremony: Ceremony): UsedCredential {
    this.counter += 1
    const { clientData, flags, rpId } = read('webauthn.get', ceremony)
    const authenticatorData = authDataOf(rpId, flags, this.counter)
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()])
    return {
      id: this.id,
      clientDataJson: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign(null, signed, this.#key).toString('base64url'),
    }
  }

  /** The COSE key has the key type OKP, the algorithm EdDSA and the curve Ed25519. */
  #coseKey(): Buffer {
    const { x = '' } = createPublicKey(this.#key).export({ format: 'jwk' })
    return cborMap([
      [cborInt(1), cborInt(1)],
      [cborInt(3), cborInt(-8)],
      [cborInt(-1), cborInt(6)],
      [cborInt(-2), cborBytes(Buffer.from(x, 'base64url'))],
    ])
  }
}

function read(type: string, ceremony: Ceremony): { clientData: Buffer; flags: number; rpId: string } {
  const { challenge, isPersonVerified, origin, rpId } = { ...here, ...ceremony }
  const clientData = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  return { clientData, flags: 0x01 | (isPersonVerified ? 0x04 : 0), rpId }
}

function authDataOf(rpId: string, flags: number, counter: number): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count])
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff])
}

// CBOR (RFC 8949), as far as this file needs it.

function cborHead(kind: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(kind << 5) | value])
  if (value < 256) return Buffer.from([(kind << 5) | 24, value])
  return Buffer.concat([Buffer.from([(kind << 5) | 25]), uint16(value)])
}

function cborInt(value: number): Buffer {
  return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes])
}

function cborText(text: string): Buffer {
  return Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)])
}

function cborMap(entries: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([cborHead(5, entries.length), ...entries.flat()])
}
