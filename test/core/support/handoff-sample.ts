/** The sample of the protocol's article, as it stands there. */
export const sample = `# RALPH.md

## 元数据
- Issue: FEAT-XXX
- Session: sess_xxx
- 停止原因: context_limit / timeout / user_interrupt

## 当前状态
- Stage: implementing
- 正在处理: src/xxx.py 第 200 行

## 已完成
- [x] 分析现有架构
- [x] 设计新模型

## 待办
- [ ] 实现核心函数
- [ ] 编写测试

## 关键决策
1. 决定保留 EventBus，但简化事件类型
2. 决定移除 Planner 触发

## 下一步（继任者必读）
1. 完成 ExecutionHandler._should_handle()
2. 更新测试用例
3. 运行 pytest 验证

## 警告
⚠️ 不要删除 MemoThresholdHandler 的测试
`;
