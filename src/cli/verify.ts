export async function verify(_options: { readonly data?: string }): Promise<void> {}
