/** Where the proxy is: outside of the sandbox a socket in a folder, inside a port of the sandbox's own loopback. */

/** By the folder's descriptor: a socket's path may have 107 bytes only. */
export function socketIn(folder: number): string {
  return `/proc/self/fd/${folder}/proxy`;
}

export const proxyPort = 3128;
