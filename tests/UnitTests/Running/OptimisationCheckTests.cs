using System.Diagnostics;
using System.Reflection;
using System.Reflection.Emit;

namespace UnitTests.Running;

public sealed class OptimisationCheckTests
{
    [Fact]
    public void This_assembly_and_its_references_are_optimised() =>
        OptimisationCheck.RefuseUnoptimised(typeof(OptimisationCheckTests).Assembly);

    [Fact]
    public void Unoptimised_assembly_is_refused_by_name()
    {
        var assembly = Emit(
            "Slow.Motion",
            DebuggableAttribute.DebuggingModes.Default | DebuggableAttribute.DebuggingModes.DisableOptimizations);

        var failure = Assert.Throws<InvalidOperationException>(() => OptimisationCheck.RefuseUnoptimised(assembly));

        AssertHolds(failure.Message, "Slow.Motion", "<Optimize>true</Optimize>");
    }

    [Fact]
    public void Assembly_with_debug_information_but_optimised_passes() =>
        OptimisationCheck.RefuseUnoptimised(Emit("Quick.Step", DebuggableAttribute.DebuggingModes.Default));

    private static AssemblyBuilder Emit(string name, DebuggableAttribute.DebuggingModes modes)
    {
        var constructor = typeof(DebuggableAttribute).GetConstructor([typeof(DebuggableAttribute.DebuggingModes)])!;
        var builder = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName(name), AssemblyBuilderAccess.Run);
        builder.SetCustomAttribute(new CustomAttributeBuilder(constructor, [modes]));
        return builder;
    }
}
