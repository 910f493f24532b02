declare module "fs-native-extensions" {
  const locks: { tryLock(fd: number, options?: { shared: boolean }): boolean };
  export default locks;
}
