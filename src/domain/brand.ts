/** The appearance of an application's portal. */
export interface Brand {
  /** Null means the name of the application. */
  readonly productName: string | null
  /** `#rrggbb` in lower case. */
  readonly primaryColor: string
  readonly supportEmail: string | null
  readonly supportUrl: string | null
  /** The page where the application sells credit. Refusals and the portal link to it. */
  readonly topUpUrl: string | null
  /** The page where end users pay invoices. */
  readonly payUrl: string | null
  readonly logo: LogoFacts | null
}

/** A logo without its bytes. */
export interface LogoFacts {
  /** SHA-256 of the bytes, in lower-case hex. It is the logo's name in URLs. */
  readonly hash: string
  readonly mediaType: LogoType
  readonly widthPx: number
  readonly heightPx: number
}

export const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const
export type LogoType = (typeof logoTypes)[number]

/** A logo as it is sent to browsers. */
export interface LogoFile {
  readonly mediaType: LogoType
  readonly bytes: Uint8Array
}

export const defaultBrand: Brand = {
  productName: null,
  primaryColor: '#1f2937',
  supportEmail: null,
  supportUrl: null,
  topUpUrl: null,
  payUrl: null,
  logo: null,
}

export interface Brands {
  /** Returns `defaultBrand` if the application has no brand of its own. */
  of(applicationId: string): Promise<Brand>
  /** Replaces everything except the logo. */
  put(applicationId: string, brand: Omit<Brand, 'logo'>): Promise<void>
  putLogo(applicationId: string, logo: LogoFacts, bytes: Uint8Array): Promise<void>
  removeLogo(applicationId: string): Promise<void>
  /** @param applicationId the application that the logo must belong to; null means any */
  logo(hash: string, applicationId: string | null): Promise<LogoFile | null>
}
