declare module "fs-native-extensions" {
  const locks: { tryLock(fd: number): boolean };
  export default locks;
}
