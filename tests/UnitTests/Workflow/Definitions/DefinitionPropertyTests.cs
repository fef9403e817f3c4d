using FsCheck;
using FsCheck.Fluent;

namespace UnitTests.Workflow.Definitions;

/// <summary>Properties over damaged bodies; a failure prints the seed that repeats it.</summary>
public sealed class DefinitionPropertyTests
{
    private static readonly byte[] Order = Fixtures.Read("definitions", "order.json");

    private static readonly string[] Patches =
        [
            "\"both\"", "\"end\"", "null", "[]", "{}", "7", "\"= 1 +\"", "\"\\ud800\"", "1e99", "\"type\"", "\"next\":",
            ",", "\"",
            "\u0000", "-PT1S", "\"split\"",
        ];

    [Fact]
    public void A_damaged_body_is_compiled_or_refused_but_never_throws() =>
        Prop.ForAll(Damages().ToArbitrary(), damage =>
        {
            var body = Damaged(damage);
            var compilation = DefinitionCompiler.Compile(body, Compile.Rules);
            return compilation.Definition is null == compilation.Errors.Count > 0
                && compilation.Errors.All(error => error.Message.Length > 0);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(3000));

    private static Gen<(int Token, int Tokens, string Patch)> Damages() =>
        from token in Gen.Choose(0, 600)
        from count in Gen.Choose(0, 2)
        from patch in Gen.Elements(Patches)
        select (token, count, patch);

    // Replaces some tokens (texts, or single characters) by a patch, so that most results are still JSON.
    private static byte[] Damaged((int Token, int Tokens, string Patch) damage)
    {
        var tokens =
            System.Text.RegularExpressions.Regex.Matches(Encoding.UTF8.GetString(Order), "\"[^\"]*\"|\\S")
                .Select(match => match.Value).ToList();
        var at = damage.Token % tokens.Count;
        tokens.RemoveRange(at, Math.Min(damage.Tokens, tokens.Count - at));
        tokens.Insert(at, damage.Patch);
        return Encoding.UTF8.GetBytes(string.Join(' ', tokens));
    }
}
