/** Version of this package, which equals the version in package.json. */
export const version = '0.1.0'
