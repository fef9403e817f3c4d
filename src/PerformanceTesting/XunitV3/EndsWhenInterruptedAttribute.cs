using System.Reflection;
using Xunit.v3;

namespace PerformanceTesting.XunitV3;

/// <summary>
/// <c>[assembly: EndsWhenInterrupted]</c>: no test of the assembly begins after the run was told to end, and the one
/// that runs is cancelled. For assemblies whose tests run one after another; <see cref="PerformanceRunFixture"/> does
/// it for what it measures.
/// </summary>
[AttributeUsage(AttributeTargets.Assembly)]
public sealed class EndsWhenInterruptedAttribute : BeforeAfterTestAttribute
{
    public override void Before(MethodInfo methodUnderTest, IXunitTest test) =>
        TestInterruption.Enter(TestContext.Current);

    public override void After(MethodInfo methodUnderTest, IXunitTest test) => TestInterruption.Leave();
}
