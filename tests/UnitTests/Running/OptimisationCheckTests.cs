using System.Diagnostics;
using System.Reflection;
using System.Reflection.Emit;

namespace UnitTests.Running;

public sealed class OptimisationCheckTests
{
    [Fact]
    public void This_assembly_and_all_it_refers_to_are_optimised_in_every_configuration() =>
        OptimisationCheck.RefuseUnoptimised(typeof(OptimisationCheckTests).Assembly);

    [Fact]
    public void Assembly_with_the_optimiser_disabled_is_refused_by_name_with_the_remedy()
    {
        var assembly = Emit(
            "Slow.Motion", DebuggableAttribute.DebuggingModes.Default | DebuggableAttribute.DebuggingModes.DisableOptimizations);

        var failure = Assert.Throws<InvalidOperationException>(() => OptimisationCheck.RefuseUnoptimised(assembly));

        AssertHolds(failure.Message, "Slow.Motion", "<Optimize>true</Optimize>");
    }

    [Theory]
    [InlineData(DebuggableAttribute.DebuggingModes.IgnoreSymbolStoreSequencePoints)]
    [InlineData(DebuggableAttribute.DebuggingModes.Default)]
    public void Assembly_with_debug_information_but_optimised_passes(DebuggableAttribute.DebuggingModes modes) =>
        OptimisationCheck.RefuseUnoptimised(Emit("Quick.Step", modes));

    private static AssemblyBuilder Emit(string name, DebuggableAttribute.DebuggingModes modes)
    {
        var constructor = typeof(DebuggableAttribute).GetConstructor([typeof(DebuggableAttribute.DebuggingModes)])!;
        var builder = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName(name), AssemblyBuilderAccess.Run);
        builder.SetCustomAttribute(new CustomAttributeBuilder(constructor, [modes]));
        return builder;
    }
}
